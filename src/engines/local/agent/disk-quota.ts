/** Whether a build or a release takes more of the disk than its service has, in words for whoever it belongs to. */
import { mostFiles } from "./disk-usage.ts";

const megabyte = 2 ** 20;

/** What the processes of one build or release can write to, in bytes. */
export interface DiskParts {
  /** The build folder or the release folder. */
  readonly folder: number;
  readonly home: number;
  readonly tmp: number;
  readonly cache: number;
  /** Files that have no name any more. */
  readonly unnamed: number;
  readonly tooManyFiles: boolean;
}

export type Scratch = "home" | "tmp" | "cache";

export interface Excess {
  /** Continues a sentence about the service. */
  readonly words: string;
  /** What to empty before it starts again. Home may hold what somebody would miss: only where the rest does not do. */
  readonly scratch: readonly Scratch[];
  /** What will have come of that. */
  readonly outcome: string;
}

const places = {
  folder: "the folder that it runs in",
  home: "HOME",
  tmp: "its temporary files (TMPDIR)",
  cache: "its build cache (KSAR_CACHE_DIR)",
  unnamed: "files that it has deleted and still holds open",
} as const;

/** null: it has room enough. */
export function excessOf(parts: DiskParts, serviceMb: number): Excess | null {
  const limit = serviceMb * megabyte;
  const entries = (["folder", "home", "tmp", "cache", "unnamed"] as const).map(
    (place) => [place, parts[place]] as const,
  );
  const total = entries.reduce((sum, [, bytes]) => sum + bytes, 0);
  if (parts.tooManyFiles) {
    return {
      words: `has more files than a service may have (${mostFiles})`,
      scratch: ["tmp", "cache", "home"],
      outcome:
        "TMPDIR, HOME and the build cache are emptied; what it wrote elsewhere is there until the next deployment",
    };
  }
  if (total <= limit) return null;
  const [most] = entries.reduce((a, b) => (b[1] > a[1] ? b : a));
  const words = `uses more disk than it has (${serviceMb} MB): ${Math.round(total / megabyte)} MB, most of it in ${places[most]}`;
  if (parts.folder + parts.home <= limit) {
    return { words, scratch: ["tmp", "cache"], outcome: "TMPDIR and the build cache are emptied" };
  }
  const outcome =
    parts.folder <= limit
      ? "TMPDIR, HOME and the build cache are emptied"
      : "what it wrote into that folder is there until the next deployment";
  return { words, scratch: ["tmp", "cache", "home"], outcome };
}
