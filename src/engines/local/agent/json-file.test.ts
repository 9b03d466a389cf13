import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { overwriteJson } from "./json-file.ts";

const folder = mkdtempSync(join(tmpdir(), "ksar-json-"));
const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("what is written over is the new value whole, shorter or longer, on one page or several", () => {
  const file = join(folder, "sizes.json");
  for (const length of [1, 900, 3, 4086, 4087, 9000, 2, 5000, 0]) {
    const value = { text: "é".repeat(Math.floor(length / 2)) };
    overwriteJson(file, value);
    expect(read(file)).toEqual(value);
  }
});

test("killed at any moment, it leaves one value or the other", async () => {
  const file = join(folder, "killed.json");
  const values = ["a".repeat(4000), "b".repeat(10)];
  const writing = `
    import { overwriteJson } from ${JSON.stringify(new URL("./json-file.ts", import.meta.url).href)};
    for (let n = 0; ; n++) {
      overwriteJson(${JSON.stringify(file)}, ${JSON.stringify(values)}[n % 2]);
      if (n === 2) process.stdout.write("writing");
    }`;
  for (let round = 0; round < 8; round++) {
    const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", writing]);
    await new Promise((resolve) => child.stdout.once("data", resolve));
    await delay(Math.random() * 5);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
    expect(values).toContain(read(file));
  }
});
