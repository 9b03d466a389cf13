import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ensureReachable, UnreachableError } from "./reach.ts";

const folder = mkdtempSync(join(tmpdir(), "ksar-reach-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.runIf(process.getuid?.() === 0)("a program that other users can't enter is told of, with what opens it", () => {
  const program = join(folder, "program");
  mkdirSync(join(program, "node_modules"), { recursive: true });
  for (const path of [folder, program, join(program, "node_modules")]) chmodSync(path, 0o755);
  expect(() => ensureReachable(program, folder)).not.toThrow();
  for (const closed of [program, join(program, "node_modules")]) {
    chmodSync(closed, 0o700);
    expect(() => ensureReachable(program, folder)).toThrow(UnreachableError);
    expect(() => ensureReachable(program, folder)).toThrow(`cannot enter ${closed}: PostgreSQL`);
    expect(() => ensureReachable(program, folder)).toThrow(`chmod -R go+rX ${program}`);
    chmodSync(closed, 0o755);
  }
});
