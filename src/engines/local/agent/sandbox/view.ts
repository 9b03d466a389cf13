/**
 * What a tenant's process finds in its file system, as the steps of a shell that is root in its own mount namespace.
 *
 * A new root is put together from nothing: the system's programs and settings (read-only), the build or the release that it
 * is about and the service's home, cache and tmp, at the paths they have outside, devices that are no hardware, a private /tmp, the processes of its own PID namespace.
 * What is not listed here is not there: the data directory, other services, other builds of its own, homes, sockets.
 *
 * What is mounted, and where, is only ever in folders that no tenant writes to: a link there would lead Ksar astray.
 */
import { chmodSync, lstatSync, mkdirSync, readlinkSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { quote } from "./shell-scripts.ts";

export interface View {
  /** An empty folder of Ksar's: the new root is mounted there. */
  readonly root: string;
  /** What `makeFrame` has made. */
  readonly frame: string;
  readonly dataDir: string;
  /** The service's folders that it may write to; none of them lies in a folder that any tenant may write to. */
  readonly own: { readonly home: string; readonly tmp: string; readonly others: readonly string[] };
  /** Whom the process runs as. */
  readonly user: { readonly uid: number; readonly gid: number };
  /** Further paths that it may read. */
  readonly readable: readonly string[];
  readonly memoryGroup: { readonly path: string; readonly group: string } | null;
}

const systemFolders = ["/usr", "/etc", "/opt", "/nix", "/var/lib/ca-certificates"];
/** On most systems links into /usr. */
const systemLinks = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
const devices = ["null", "zero", "full", "random", "urandom"];
const scratchFolders = ["/tmp", "/var/tmp"];
/** Where the data directory itself is below /tmp, this much memory takes the place of the service's own folder. */
const scratchMb = 256;

const readOnly = "ro,nosuid,nodev";
const writable = "nosuid,nodev";

/**
 * Two scripts in which every line must succeed: the first puts the new root together, the second goes there. Programs are
 * started as few times as can be: with one for each mount and each folder, this took longer than most of what tenants run.
 */
export function mountScripts(view: View): { readonly assemble: string; readonly enter: string } {
  const { root, dataDir, own, user } = view;
  const at = (path: string) => join(root, path);
  const visible = systemFolders.filter(isThere);
  const isVisible = (path: string) => visible.some((system) => isWithin(path, system));
  // Without links on the way: a mount point's path is made of plain folders.
  const readable = view.readable
    .filter((path) => path !== "/" && isThere(path))
    .filter((path) => !isVisible(path) || isWithin(path, dataDir));
  const readableFolders = readable.filter(isFolder);
  const readableFiles = [...readable.filter((path) => !isFolder(path)), ...resolverFiles()];
  const ownFolders = [own.home, own.tmp, ...own.others];
  const { memoryGroup } = view;
  const bind = (path: string, options: string, from = path) => [from, at(path), "none", `bind,${options}`];
  // `mount` makes the folder itself.
  const bindFolder = (path: string, options: string, from = path) => bind(path, `${options},X-mount.mkdir`, from);
  const scratch = (path: string, name: string, options: string) => [name, at(path), "tmpfs", options];
  // Folders and files that the second mounts need may lie in what the first ones mount.
  const first = [
    ...visible.map((path) => bind(path, readOnly)),
    ...systemFoldersOfRoot().map((path) => bind(path, readOnly)),
    ...(isVisible(dataDir) ? [scratch(dataDir, "ksar", "mode=755,size=1m,nosuid")] : []),
    ...scratchFolders.map((path) =>
      isWithin(dataDir, path) || readable.some((one) => isWithin(one, path))
        ? scratch(path, "tmp", `mode=1777,size=${scratchMb}m,nosuid,nodev`)
        : bind(path, writable, own.tmp),
    ),
  ];
  const second = [
    ...readableFolders.map((path) => bindFolder(path, readOnly)),
    ...readableFiles.map((path) => bind(path, readOnly)),
    ...ownFolders.map((path) => bindFolder(path, writable)),
    ...devices.map((name) => [`/dev/${name}`, at(`/dev/${name}`), "none", "bind"]),
    ["devpts", at("/dev/pts"), "devpts", "newinstance,ptmxmode=0666,mode=620"],
    scratch("/dev/shm", "shm", `mode=1777,size=${scratchMb}m,nosuid,nodev`),
    ["proc", at("/proc"), "proc", "nosuid,nodev,noexec"],
    ...(memoryGroup === null ? [] : [bindFolder(memoryGroup.path, readOnly, memoryGroup.group)]),
    ...["passwd", "group"]
      .filter((name) => isThere(`/etc/${name}`))
      .map((name) => [at(`/.${name}`), at(`/etc/${name}`), "none", "bind,ro"]),
  ];
  const assemble = [
    "set -e",
    `mount -t tmpfs -o mode=755,size=1m,nosuid ksar ${quote(root)}`,
    `cp -a ${quote(`${view.frame}/.`)} ${quote(root)}`,
    mountAll(first, at("/.mounts")),
    ...[...new Set(readableFiles.map((path) => dirname(at(path))))].map((path) => `mkdir -p ${quote(path)}`),
    ...[...readableFiles, ...devices.map((name) => `/dev/${name}`)].map((path) => `: >${quote(at(path))}`),
    // Programs look their own user up; the machine's users are nobody's business.
    `printf '%s\\n' 'root:x:0:0::/:/bin/sh' ${quote(`app:x:${user.uid}:${user.gid}::${own.home}:/bin/sh`)} >${quote(at("/.passwd"))}`,
    `printf '%s\\n' 'root:x:0:' ${quote(`app:x:${user.gid}:`)} >${quote(at("/.group"))}`,
    mountAll(second, at("/.mounts")),
  ];
  const enter = [
    "set -e",
    `cd ${quote(root)}; pivot_root . .old; cd /; umount -l /.old`,
    // Which only root may write in a namespace of root's.
    "{ echo ksar >/proc/sys/kernel/hostname || hostname ksar; } 2>/dev/null || :",
  ];
  return { assemble: assemble.join("\n"), enter: enter.join("\n") };
}

/** In every new root; the system's own come on top. */
const frameFolders = ["/dev/pts", "/dev/shm", "/proc", "/.old"];

/** Makes `folder` hold the links and folders of every new root: what an earlier agent made may be of an older system. */
export function makeFrame(folder: string): void {
  const links = new Map([
    ...systemLinks.filter(isLink).map((path) => [path, readlinkSync(path)] as const),
    ["/dev/ptmx", "pts/ptmx"],
    ["/dev/fd", "/proc/self/fd"],
    ...["stdin", "stdout", "stderr"].map((name, number) => [`/dev/${name}`, `/proc/self/fd/${number}`] as const),
  ]);
  const folders = [...systemFolders.filter(isThere), ...systemFoldersOfRoot(), ...scratchFolders, ...frameFolders];
  for (const path of [...systemLinks, ...systemFolders, ...folders, ...links.keys()]) {
    const wanted = links.get(path);
    const isAsWanted =
      wanted === undefined ? isFolderItself(join(folder, path)) : linkOf(join(folder, path)) === wanted;
    if (!isAsWanted || (wanted === undefined && !folders.includes(path)))
      rmSync(join(folder, path), { recursive: true, force: true });
  }
  for (const path of folders) openFolder(folder, path);
  for (const [path, target] of links) {
    openFolder(folder, dirname(path));
    if (linkOf(join(folder, path)) === null) symlinkSync(target, join(folder, path));
  }
}

/** Copied as they are: everybody may look into them. */
function openFolder(root: string, path: string): void {
  const names = path.split("/").filter((name) => name !== "");
  for (const depth of [...names.keys(), names.length]) {
    const folder = join(root, ...names.slice(0, depth));
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
  }
}

/** In the form of fstab(5), read by one `mount`, which takes no pipe for it. */
function mountAll(entries: readonly (readonly string[])[], file: string): string {
  const lines = entries.map((fields) => quote(`${fields.map(escapeField).join(" ")} 0 0`));
  return `printf '%s\\n' ${lines.join(" ")} >${quote(file)}; mount --all --fstab ${quote(file)}; : >${quote(file)}`;
}

/** fstab(5): white space and the backslash as octal numbers. */
function escapeField(field: string): string {
  return field.replace(/[\s\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

/** Those of the folders that are mostly links, where they are folders. */
function systemFoldersOfRoot(): readonly string[] {
  return systemLinks.filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
}

/** Where names are looked up; systemd keeps it outside /etc. */
function resolverFiles(): readonly string[] {
  const path = "/etc/resolv.conf";
  if (!isThere(path)) return [];
  const real = realpathSync(path);
  return isWithin(real, "/etc") ? [] : [real];
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function linkOf(path: string): string | null {
  return isLink(path) ? readlinkSync(path) : null;
}

function isFolderItself(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isWithin(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside === "" || (inside !== ".." && !inside.startsWith(`..${sep}`));
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return lstatSync(realpathSync(path)).isDirectory();
}
