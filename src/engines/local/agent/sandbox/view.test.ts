import { lstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFrame } from "./view.ts";

test("the frame of a new root is the system's, whatever an earlier agent has left", () => {
  const folder = mkdtempSync(join(tmpdir(), "ksar-links-"));
  try {
    mkdirSync(join(folder, "dev"), { mode: 0o700 });
    symlinkSync("elsewhere", join(folder, "dev/fd"));
    symlinkSync("usr/libx32", join(folder, "libx32")); // no system of today has it
    symlinkSync("/root", join(folder, "usr"));
    makeFrame(folder);
    makeFrame(folder);
    expect(readlinkSync(join(folder, "dev/fd"))).toBe("/proc/self/fd");
    expect(readlinkSync(join(folder, "dev/stderr"))).toBe("/proc/self/fd/2");
    const here = lstatSync("/libx32", { throwIfNoEntry: false })?.isSymbolicLink() === true;
    expect(lstatSync(join(folder, "libx32"), { throwIfNoEntry: false })?.isSymbolicLink() === true).toBe(here);
    for (const path of ["dev", "usr", "etc", "var/tmp"]) {
      expect(lstatSync(join(folder, path)).isDirectory()).toBe(true);
      expect(statSync(join(folder, path)).mode & 0o777).toBe(0o755);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
