/** `web` of `https://github.com/acme/web.git`: what somebody would call it. Empty for what is no such address. */
export function nameOfRepository(address: string): string {
  const path = /^(?:(?:https?|ssh|file):\/\/|[\w.-]+@[\w.-]+:|\/)(.+)$/.exec(address.trim())?.[1] ?? "";
  const last = path.replace(/\/+$/, "").split(/[/:]/).at(-1) ?? "";
  return last.replace(/\.git$/, "").slice(0, 80);
}
