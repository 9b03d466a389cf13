import { readdirSync, readFileSync } from "node:fs";

/**
 * The processes of this machine, whatever their namespace, on whose command lines the word stands; those that have ended
 * and wait to be reaped have none. The shells around what a service runs name the service's folder.
 */
export function processesWith(word: string): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(word) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
