import { execFileSync } from "node:child_process";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { EdgeControl, EdgeUnreachableError } from "./control.ts";
import {
  ask,
  describeEdges,
  instances,
  startInstance,
  tableOf,
  temporaryFolder,
  until,
  writeFiles,
} from "./edge.fixture.ts";

const host = "app.example.com";

describeEdges(({ startEdgeProcess }) => {
  /** Requests on kept-alive connections, one after the other on each, until stopped; every failure is collected. */
  function load(port: number, connections: number) {
    const agent = new HttpAgent({ keepAlive: true, maxSockets: connections });
    onTestFinished(() => agent.destroy());
    const failures: string[] = [];
    let count = 0;
    let stopped = false;
    const send = (method: string, body: string) =>
      new Promise<void>((resolve) => {
        const length = { "content-length": String(body.length) };
        const request = httpRequest({ port, agent, method, headers: { host, ...(method === "POST" ? length : {}) } });
        request.on("error", (error) => {
          failures.push(`${method}: ${error.message}`);
          resolve();
        });
        request.on("response", (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk) => {
            text += chunk;
          });
          response.on("error", (error) => failures.push(`${method}: ${error.message}`));
          response.on("close", () => {
            if (response.statusCode !== 200 || text !== `${method} ${body}`) {
              failures.push(`${method}: ${response.statusCode} ${text.slice(0, 100)}`);
            }
            count += 1;
            resolve();
          });
        });
        request.end(body);
      });
    const lanes = Array.from({ length: connections }, async (_, lane) => {
      while (!stopped) await (lane % 2 === 0 ? send("GET", "") : send("POST", `body ${lane} `.repeat(500)));
    });
    return {
      failures,
      count: () => count,
      stop: async () => {
        stopped = true;
        await Promise.all(lanes);
      },
    };
  }

  test("no request fails while instances are replaced again and again under load", async () => {
    const folder = await temporaryFolder();
    const { control, status } = await startEdgeProcess(folder);
    const start = () =>
      startInstance(async (request, response) => {
        let body = "";
        for await (const chunk of request) body += chunk;
        response.end(`${request.method} ${body}`);
      });
    let current = [await start(), await start()];
    await control.apply(tableOf(1, { [host]: instances(...current.map(({ target }) => target)) }));
    const traffic = load(status.port, 12);
    for (let version = 2; version <= 9; version += 1) {
      const before = traffic.count();
      const next = [await start(), await start()];
      const leaving = current;
      await control.apply(tableOf(version, { [host]: instances(...next.map(({ target }) => target)) }));
      const ids = leaving.map(({ target }) => target.id);
      await until("the old instances carry nothing", async () => {
        const counts = await control.inFlight(ids);
        return ids.every((id) => counts.get(id) === 0);
      });
      await Promise.all(leaving.map((instance) => instance.stop())); // at once, whatever is still connected
      current = next;
      await until("requests go on", () => traffic.count() > before + 100);
    }
    await traffic.stop();
    expect(traffic.failures).toEqual([]);
  });

  test("a newer edge takes over the port while the older one ends what it carries", async () => {
    const folder = await temporaryFolder();
    let finish = () => {};
    let begun = false;
    const instance = await startInstance((request, response) => {
      if (request.url !== "/slow") return response.end("quick");
      begun = true;
      finish = () => response.end("slow");
      return response;
    });
    const older = await startEdgeProcess(folder);
    await older.control.apply(tableOf(1, { [host]: instances(instance.target) }));
    const { port } = older.status;
    const slow = ask(port, host, "/slow");
    await until("the request is under way", () => begun);
    const newer = await startEdgeProcess(folder, "--port", String(port));
    expect([newer.status.port, newer.status.tableVersion]).toEqual([port, 1]);
    older.child.kill("SIGTERM");
    await until("the newer one accepts", async () => {
      const [status, answer] = await Promise.all([newer.control.status(), ask(port, host, "/").catch(() => null)]);
      return status !== null && status.pid === newer.child.pid && answer?.text === "quick";
    });
    expect(older.child.exitCode).toBeNull();
    finish();
    expect((await slow).text).toBe("slow");
    expect(await older.exit).toBe(0);
    // The newer one's socket is still there once the older one has gone.
    expect((await newer.control.status())?.pid).toBe(newer.child.pid);
    expect((await ask(port, host, "/")).text).toBe("quick");
  });

  test("it serves the table on disk at its start, and tells what it is", async () => {
    const folder = await temporaryFolder();
    const before = new EdgeControl({
      socketPath: join(folder, "edge.sock"),
      tableFile: join(folder, "edge", "routes.json"),
    });
    onTestFinished(() => before.close());
    expect(await before.status()).toBeNull();
    const table = tableOf(7, { [host]: { kind: "notice", notice: "STOPPED" } });
    await expect(before.apply(table)).rejects.toThrow(EdgeUnreachableError);
    const { status, control, exit } = await startEdgeProcess(folder);
    expect(status.tableVersion).toBe(7);
    const { version } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
    expect(status.version.startsWith(`${version}+`)).toBe(true);
    expect(Date.parse(status.startedAt)).toBeLessThanOrEqual(Date.now());
    expect((await stat(join(folder, "edge.sock"))).mode & 0o777).toBe(0o600);
    expect((await ask(status.port, host, "/")).status).toBe(503);
    expect(await control.inFlight(["nobody"])).toEqual(new Map([["nobody", 0]]));
    // Calls made together take effect in their order.
    await Promise.all([8, 9, 10].map((next) => control.apply(tableOf(next, {}))));
    expect((await control.status())?.tableVersion).toBe(10);
    await control.apply(tableOf(3, { [host]: { kind: "notice", notice: "STARTING" } }));
    expect((await control.status())?.tableVersion).toBe(10);
    await control.shutdown(1_000);
    expect(await exit).toBe(0);
  });

  test("a broken table at the start does not keep it from serving, and the next one is taken", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "edge"));
    await writeFile(join(folder, "edge", "routes.json"), "{");
    const { status, control } = await startEdgeProcess(folder, "--log-level", "silent");
    expect(status.tableVersion).toBe(0);
    expect((await ask(status.port, host, "/")).status).toBe(404);
    await control.apply(tableOf(1, { [host]: { kind: "notice", notice: "STOPPED" } }));
    expect((await ask(status.port, host, "/")).status).toBe(503);
  });

  test("as root it becomes the user that it is told to, and still reads what it serves", async () => {
    const isRoot = process.getuid?.() === 0;
    const folder = await temporaryFolder();
    await writeFiles(join(folder, "static", "artifact"), { "index.html": "static" });
    const instance = await startInstance((request, response) => request.pipe(response));
    const uid = isRoot ? 65_534 : process.getuid?.();
    const user = isRoot ? ["--user", "65534:65534"] : [];
    const { child, status, control } = await startEdgeProcess(folder, ...user);
    await control.apply(
      tableOf(1, {
        [host]: instances(instance.target),
        "site.example.com": { kind: "static", artifactId: "artifact", singlePage: false },
      }),
    );
    const ids = execFileSync("ps", ["-o", "uid=,gid=", "-p", String(child.pid)], { encoding: "utf8" }).trim();
    expect(Number(ids.split(/\s+/)[0])).toBe(uid);
    expect((await ask(status.port, host, "/", { method: "POST", body: "proxied" })).text).toBe("proxied");
    expect((await ask(status.port, "site.example.com", "/")).text).toBe("static");
  });
});
