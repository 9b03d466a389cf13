import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Replaces the file in one step; `durable` outlasts a power cut too. */
export function writeJson(file: string, value: unknown, options: { readonly durable: boolean }): void {
  const temporary = `${file}.new`;
  const handle = openSync(temporary, "w", 0o600);
  try {
    writeFileSync(handle, JSON.stringify(value));
    if (options.durable) fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, file);
  if (options.durable) syncFolder(dirname(file));
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
