/** Shorter values (`1`, `true`, `fr`) would blank out ordinary words. */
const shortestMasked = 8;

/** Longer than that, yet no secrets: what NODE_ENV and its kin hold. */
const plainWords: ReadonlySet<string> = new Set(["production", "development", "localhost", "127.0.0.1", "disabled"]);

/** The values of an environment that must not be readable in logs. */
export function maskable(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(env).filter(
    (value) => value.trim().length >= shortestMasked && !plainWords.has(value.trim().toLowerCase()),
  );
}
