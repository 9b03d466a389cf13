import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { rotateLogs } from "./log-rotation.ts";

let folder: string;
let file: string;
const limits = { largestBytes: 1000, kept: 3 };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ksar-rotation-"));
  file = join(folder, "agent.log");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (number: number) => readFileSync(`${file}.${number}`, "utf8").trim();

test("a full log is copied and emptied; the oldest copy goes", () => {
  for (let round = 1; round <= 5; round += 1) {
    writeFileSync(file, `round ${round}`.padEnd(1000, "\n"));
    rotateLogs(folder, limits);
    expect(readFileSync(file, "utf8")).toBe("");
  }
  expect([1, 2, 3].map(read)).toEqual(["round 5", "round 4", "round 3"]);
  expect([0, 4, 5].some((number) => existsSync(`${file}.${number}`))).toBe(false);
});

test("a smaller one, and what is no log, is left alone", () => {
  writeFileSync(file, "x".repeat(999));
  writeFileSync(join(folder, "other.txt"), "x".repeat(5000));
  rotateLogs(folder, limits);
  expect(readFileSync(file, "utf8")).toHaveLength(999);
  expect(existsSync(join(folder, "other.txt.1"))).toBe(false);
});

test("a process that holds it open goes on at the beginning", async () => {
  const log = openSync(file, "a", 0o600);
  const child = spawn("sh", ["-c", "printf '%01200d' 7; read line; echo after"], { stdio: ["pipe", log, log] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await expect.poll(() => readFileSync(file, "utf8").length).toBe(1200);
  rotateLogs(folder, limits);
  child.stdin?.end("go\n");
  await ended;
  expect(readFileSync(file, "utf8")).toBe("after\n");
  expect(read(1)).toHaveLength(1200);
});
