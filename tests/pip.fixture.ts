/** How pip gets packages on this machine, as variables for a service that has no configuration of the user's. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const settings: Readonly<Record<string, string>> = {
  "index-url": "PIP_INDEX_URL",
  "extra-index-url": "PIP_EXTRA_INDEX_URL",
  "find-links": "PIP_FIND_LINKS",
  "no-index": "PIP_NO_INDEX",
  cert: "PIP_CERT",
};

/** null where there is no pip, or it can't get the packages of the examples. */
export function pipVariables(): Readonly<Record<string, string>> | null {
  const listed = spawnSync("python3", ["-m", "pip", "config", "list"], { encoding: "utf8" });
  if (listed.status !== 0) return null;
  // An index that does not answer is passed over at once.
  const found: Record<string, string> = { PIP_RETRIES: "0" };
  for (const [, name = "", value = ""] of listed.stdout.matchAll(/^\S*\.([\w-]+)='(.*)'$/gm)) {
    const variable = settings[name];
    if (variable !== undefined) found[variable] = value;
  }
  const probe = ["-m", "pip", "download", "--quiet", "--no-deps", "--dest"];
  const packages = ["flask", "gunicorn", "fastapi", "uvicorn", "django<6"];
  const folder = mkdtempSync(join(tmpdir(), "ksar-pip-"));
  try {
    const env = { PATH: process.env.PATH ?? "", HOME: folder, ...found };
    return spawnSync("python3", [...probe, folder, ...packages], { env }).status === 0 ? found : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
