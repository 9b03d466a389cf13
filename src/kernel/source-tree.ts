/**
 * A read-only view of a checked-out source, as the builders see it.
 * Paths are relative to the root, with `/` between the parts and no leading `/`.
 * An implementation never follows a symlink out of the root.
 */
export interface SourceTree {
  /** Names of the entries directly inside a folder (`""` is the root); empty when there is no such folder. */
  list(directory: string): Promise<readonly string[]>;
  /** The text of a regular file of at most 1 MiB; null when there is none, or it is larger, or not a regular file. */
  read(path: string): Promise<string | null>;
}

/** The part of a tree below one of its folders. */
export function below(tree: SourceTree, directory: string): SourceTree {
  const path = (name: string) => [directory, name].filter((part) => part !== "").join("/");
  return { list: (name) => tree.list(path(name)), read: (name) => tree.read(path(name)) };
}
