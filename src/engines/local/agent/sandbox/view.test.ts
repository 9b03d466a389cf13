import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeDevices } from "./view.ts";

test("what becomes /dev is made whole, and left alone once it is there", () => {
  const parent = mkdtempSync(join(tmpdir(), "ksar-devices-"));
  const folder = join(parent, "devices");
  const before = process.umask(0o077);
  try {
    // Of an agent that was killed as it made it.
    mkdirSync(join(parent, "devices.new"));
    writeFileSync(join(parent, "devices.new", "fd"), "");
    makeDevices(folder);
    expect(readdirSync(parent)).toEqual(["devices"]);
    expect(readlinkSync(join(folder, "fd"))).toBe("/proc/self/fd");
    expect(readlinkSync(join(folder, "stderr"))).toBe("/proc/self/fd/2");
    for (const path of ["", "pts", "shm"]) expect(statSync(join(folder, path)).mode & 0o777).toBe(0o755);
    const made = lstatSync(join(folder, "null")).ino;
    makeDevices(folder);
    expect(lstatSync(join(folder, "null")).ino).toBe(made);
  } finally {
    process.umask(before);
    rmSync(parent, { recursive: true });
  }
});
