/** A mail server for tests: speaks SMTP on a socket, keeps what it is given, hands nothing on. */
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** `name:password` of whoever logged in. */
  readonly user: unknown;
  /** Headers and body, soft line breaks undone. */
  readonly text: string;
}

export interface MailServer {
  readonly port: number;
  /** `smtp://127.0.0.1:port` */
  readonly url: string;
  readonly received: ReceivedMail[];
  close(): void;
}

/** `refusal`: what every recipient is refused with. */
export async function startMailServer(refusal: string | null = null): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    onAuth: ({ username, password }, _session, done) => done(null, { user: `${username}:${password}` }),
    onRcptTo: (_address, _session, done) => done(refusal === null ? null : new Error(refusal)),
    onData: (stream, { envelope, user }, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        const text = Buffer.concat(chunks).toString().replaceAll("=\r\n", "").replaceAll("=3D", "=");
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), user, text });
        done();
      });
    },
  });
  // A client that goes away in the middle is no fault of the test.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo; // it listens on TCP
  return { port, url: `smtp://127.0.0.1:${port}`, received, close: () => server.close(() => {}) };
}
