/** `/channels/mails/{token}`: the page behind the small print of a channel's mails, and the button of mail programs. */
import type { FastifyInstance } from "fastify";
import type { Brand } from "../../kernel/brand.ts";
import { escapeHtml } from "../../kernel/html.ts";
import { acceptForms, formOf, page, sendPage } from "../../operation/page.ts";
import type { RateLimiter } from "../../operation/rate-limit/rate-limiter.ts";
import type { OptOuts, OptOutView } from "./opt-outs.ts";

type WithToken = { Params: { token: string } };

/** Changes of mind behind one link, in a minute: each is told in the account's feed. */
const mostChanges = 10;

export interface OptOutRoutesOptions {
  readonly optOuts: OptOuts;
  readonly limiter: RateLimiter;
  readonly brand: Brand;
}

export function registerOptOutRoutes(app: FastifyInstance, options: OptOutRoutesOptions): void {
  app.register(async (scope) => register(scope, options));
}

function register(app: FastifyInstance, { optOuts, limiter, brand }: OptOutRoutesOptions): void {
  acceptForms(app);
  // RFC 8058 lets mail programs send their one field either way; nothing is read of it.
  app.addContentTypeParser("multipart/form-data", { parseAs: "string", bodyLimit: 10_000 }, (_request, _body, done) =>
    done(null, null),
  );
  app.get<WithToken>("/channels/mails/:token", async (request, reply) => {
    const view = await optOuts.find(request.params.token);
    if (view === null) return sendPage(reply, 404, lostPage(brand));
    return sendPage(reply, 200, optOutPage(brand, view));
  });
  app.post<WithToken>("/channels/mails/:token", async (request, reply) => {
    const view = await optOuts.find(request.params.token);
    if (view === null) return sendPage(reply, 404, lostPage(brand));
    const standing = await limiter.take(`channel-mails/${view.channelId}`, mostChanges);
    if (!standing.allowed) return sendPage(reply, 429, busyPage(brand));
    const resumes = formOf(request)("action") === "resume";
    if (resumes) await optOuts.resume(view);
    else await optOuts.stop(view);
    return sendPage(reply, 200, optOutPage(brand, { ...view, isStopped: !resumes }));
  });
}

function optOutPage(brand: Brand, { accountName, address, isStopped }: OptOutView): string {
  const [account, to] = [escapeHtml(accountName), escapeHtml(address)];
  return page(
    `Mails of ${accountName} · ${brand.name}`,
    isStopped
      ? `<h1>No more mails</h1><p>The channels of ${account} send nothing more to <strong>${to}</strong>.</p>
<form method="post"><input type="hidden" name="action" value="resume"><button>Send me mails again</button></form>`
      : `<h1>Mails of ${account}</h1><p>The account ${account} has a notification channel that leads to <strong>${to}</strong>.</p>
<form method="post"><input type="hidden" name="action" value="stop"><button>Stop these mails</button></form>`,
  );
}

function lostPage(brand: Brand): string {
  return page(
    `Mails · ${brand.name}`,
    "<h1>There is no such channel</h1><p>It was deleted, and sends nothing more; or the link was copied in part.</p>",
  );
}

function busyPage(brand: Brand): string {
  return page(`Mails · ${brand.name}`, "<h1>Too many changes</h1><p>Nothing was changed. Try again in a minute.</p>");
}
