/** What the tests of the dashboard share: one program, one person at a browser, and where earlier tests have led. */
import type { Browser, Page } from "playwright-core";
import { type GitServer, startGitServer } from "../../tests/git-server.fixture.ts";
import { type MailServer, startMailServer } from "../../tests/mail-server.fixture.ts";
import { webApp } from "../apps.ts";
import { launchBrowser, openPage } from "../browser.fixture.ts";
import { type Ksar, startKsar, until } from "../ksar.fixture.ts";

export interface Person {
  readonly email: string;
  readonly password: string;
}

export const owner: Person = { email: "salma@example.com", password: "correct horse" };

export class Stage {
  readonly ksar: Ksar;
  readonly git: GitServer;
  readonly mail: MailServer;
  readonly browser: Browser;
  readonly repository: Awaited<ReturnType<GitServer["addRepository"]>>;
  readonly page: Page;
  readonly problems: string[];
  /** Filled in as things are made. */
  readonly places = {
    url: "",
    service: "",
    project: "",
    deployment: "",
    invoice: "",
    cronJob: "",
    cronRun: "",
    channel: "",
    webhook: "",
    database: "",
    bucket: "",
  };

  private constructor(parts: Pick<Stage, "ksar" | "git" | "mail" | "browser" | "repository" | "page" | "problems">) {
    this.ksar = parts.ksar;
    this.git = parts.git;
    this.mail = parts.mail;
    this.browser = parts.browser;
    this.repository = parts.repository;
    this.page = parts.page;
    this.problems = parts.problems;
  }

  static async open(): Promise<Stage> {
    const mail = await startMailServer();
    const [ksar, git, browser] = await Promise.all([
      startKsar({ KSAR_SMTP_URL: mail.url }),
      startGitServer(),
      launchBrowser(),
    ]);
    const repository = await git.addRepository("storefront", webApp("one"));
    return new Stage({ ksar, git, mail, browser, repository, ...(await openPage(browser)) });
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.mail.close();
    await Promise.all([this.ksar.close(), this.git.close()]);
  }

  readonly button = (name: string) => this.page.getByRole("button", { name, exact: true });
  readonly link = (name: string) => this.page.getByRole("link", { name, exact: true });

  readonly goTo = async (path: string, heading: string): Promise<void> => {
    await this.page.goto(this.ksar.dashboardUrl + path);
    await this.page.getByRole("heading", { name: heading, exact: true, level: 1 }).waitFor();
  };

  readonly signIn = async (on: Page, { email, password }: Person): Promise<void> => {
    await on.goto(`${this.ksar.dashboardUrl}/sign-in`);
    await on.locator("input[name=email]").fill(email);
    await on.locator("input[name=password]").fill(password);
    await on.locator("button[type=submit]").click();
    await on.locator("#content h1").waitFor();
  };

  readonly #linksTaken = new Set<string>();

  /** The next link to that page that was mailed to the address; a mail may come twice, its link is the same. */
  readonly linkMailedTo = (address: string, page: "invites" | "reset-password"): Promise<string> =>
    until(async () => {
      const mails = this.mail.received.filter(({ to }) => to.includes(address));
      const links = mails.flatMap(({ text }) => new RegExp(`http://\\S+/${page}/\\S+`).exec(text)?.[0] ?? []);
      const link = links.find((one) => !this.#linksTaken.has(one));
      if (link !== undefined) this.#linksTaken.add(link);
      return link;
    }, `a mail to ${address}`);
}
