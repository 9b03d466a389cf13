import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

function ksar(...args: readonly string[]) {
  const program = join(import.meta.dirname, "..", "..", "bin", "ksar.js");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

test.each(["", "--help", "doctor --help", "admin", "admin -h", "admin credit --help"])(
  "ksar %s: the help, wherever it is asked for",
  (line) => {
    const { status, stdout, stderr } = ksar(...line.split(" ").filter(Boolean));
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("ksar admin credit add --account ID");
  },
);

test("what there is no command for is said, and is no success", () => {
  const { status, stdout, stderr } = ksar("admin", "nothing");
  expect(status).not.toBe(0);
  expect(stdout).toBe("");
  expect(stderr).toBe('ksar: There is no command "admin nothing". "ksar --help" lists what there is.\n');
});
