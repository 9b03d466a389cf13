/** Whether the system refused to write because there is no room: no space, no inodes, or an operator's own quota. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}
