import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRoot } from "../../agent.fixture.ts";
import { Cgroups, findHierarchies } from "./cgroups.ts";

test("where a group above has less CPU time than a run may have, that is what it has", () => {
  const hierarchy = findHierarchies(isRoot).find(
    ({ version, controllers }) => version === 1 && controllers.includes("cpu"),
  );
  // Version 2 lets every group say what it likes.
  if (!isRoot || hierarchy === undefined) return;
  const parent = join(hierarchy.parent, `ksar-test-${randomUUID()}`);
  const above = join(hierarchy.mountPoint, parent);
  const folder = mkdtempSync(join(tmpdir(), "ksar-cgroups-"));
  mkdirSync(above);
  try {
    writeFileSync(join(above, "cpu.cfs_quota_us"), "50000");
    const groups = new Cgroups([{ ...hierarchy, parent }], "ksar", join(folder, "cgroups.json"));
    groups.make("run", { memoryBytes: 2 ** 26, processes: 10, cpuCores: 2, cpuWeight: 1 });
    const quota = () => readFileSync(join(above, "ksar", "run", "cpu.cfs_quota_us"), "utf8").trim();
    expect(quota()).toBe("-1");
    groups.limitCpu("run", 0.25);
    expect(quota()).toBe("25000");
    groups.remove("run");
    groups.limitCpu("run", 1);
  } finally {
    for (const path of [join(above, "ksar", "run"), join(above, "ksar"), above]) if (existsSync(path)) rmdirSync(path);
    rmSync(folder, { recursive: true });
  }
});
