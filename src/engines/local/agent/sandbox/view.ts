/**
 * What a tenant's process finds in its file system, as the steps of a shell that is root in its own mount namespace.
 *
 * A new root is put together from nothing: the system's programs and settings (read-only), the build or the release that it
 * is about and the service's home, cache and tmp, at the paths they have outside, devices that are no hardware, a private /tmp, the processes of its own PID namespace.
 * What is not listed here is not there: the data directory, other services, other builds of its own, homes, sockets.
 *
 * What is mounted, and where, is only ever in folders that no tenant writes to: a link there would lead Ksar astray.
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { quote } from "./shell-scripts.ts";

export interface View {
  /** An empty folder of Ksar's: the new root is mounted there. */
  readonly root: string;
  /** What `makeDevices` has made. */
  readonly devices: string;
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
  const readableFiles = [
    ...readable.filter((path) => !isFolder(path)),
    ...resolverFiles().filter((path) => !isVisible(path)),
  ];
  const ownFolders = [own.home, own.tmp, ...own.others];
  const { memoryGroup } = view;
  const bind = (path: string, options: string, from = path) => [from, at(path), "none", `bind,${options}`];
  // `mount` makes the folder itself.
  const making = (options: string) => `${options},X-mount.mkdir`;
  const bindFolder = (path: string, options: string, from = path) => bind(path, making(options), from);
  const scratch = (path: string, name: string, options: string) => [name, at(path), "tmpfs", making(options)];
  // Files that the second mounts need may lie in what the first ones mount.
  const first = [
    ...[...visible, ...systemLinks.filter(isFolderItself)].map((path) => bindFolder(path, readOnly)),
    bindFolder("/dev", readOnly, view.devices),
    ...devices.map((name) => [`/dev/${name}`, at(`/dev/${name}`), "none", "bind"]),
    ["devpts", at("/dev/pts"), "devpts", "newinstance,ptmxmode=0666,mode=620"],
    scratch("/dev/shm", "shm", `mode=1777,size=${scratchMb}m,nosuid,nodev`),
    ["proc", at("/proc"), "proc", making("nosuid,nodev,noexec")],
    ...(isVisible(dataDir) ? [scratch(dataDir, "ksar", "mode=755,size=1m,nosuid")] : []),
    ...scratchFolders.map((path) =>
      isWithin(dataDir, path) || readable.some((one) => isWithin(one, path))
        ? scratch(path, "tmp", `mode=1777,size=${scratchMb}m,nosuid,nodev`)
        : bindFolder(path, writable, own.tmp),
    ),
    ...["passwd", "group"]
      .filter((name) => isThere(`/etc/${name}`))
      .map((name) => [at(`/.${name}`), at(`/etc/${name}`), "none", "bind,ro"]),
  ];
  const second = [
    ...readableFolders.map((path) => bindFolder(path, readOnly)),
    ...readableFiles.map((path) => bind(path, readOnly)),
    ...ownFolders.map((path) => bindFolder(path, writable)),
    ...(memoryGroup === null ? [] : [bindFolder(memoryGroup.path, readOnly, memoryGroup.group)]),
  ];
  const assemble = [
    "set -e",
    `mount -t tmpfs -o mode=755,size=1m,nosuid ksar ${quote(root)}`,
    ...linkSystemFolders(at),
    // Programs look their own user up; the machine's users are nobody's business.
    `printf '%s\\n' 'root:x:0:0::/:/bin/sh' ${quote(`app:x:${user.uid}:${user.gid}::${own.home}:/bin/sh`)} >${quote(at("/.passwd"))}`,
    `printf '%s\\n' 'root:x:0:' ${quote(`app:x:${user.gid}:`)} >${quote(at("/.group"))}`,
    ...(readableFiles.length === 0
      ? [mountAll([...first, ...second], at("/.mounts"))]
      : [mountAll(first, at("/.mounts")), ...makeFiles(readableFiles.map(at)), mountAll(second, at("/.mounts"))]),
  ];
  const enter = [
    "set -e",
    // A folder of the new root's that is no tenant's takes the old root, for a moment.
    `cd ${quote(root)}; pivot_root . dev/shm; cd /; umount -l /dev/shm`,
    // Which only root may write in a namespace of root's.
    "{ echo ksar >/proc/sys/kernel/hostname || hostname ksar; } 2>/dev/null || :",
  ];
  return { assemble: assemble.join("\n"), enter: enter.join("\n") };
}

/** As they are outside: a mount would show below another name what a mount on its first one hides. */
function linkSystemFolders(at: (path: string) => string): readonly string[] {
  const links = systemLinks.filter(isLink).map((path) => ({ path, target: readlinkSync(path) }));
  // Mostly all of them: /bin, which leads to usr/bin. One program for those.
  const alike = links.filter(({ path, target }) => basename(path) === basename(target));
  const others = links.filter((link) => !alike.includes(link));
  return [
    ...(alike.length === 0 ? [] : [`ln -s ${alike.map(({ target }) => quote(target)).join(" ")} ${quote(at("/"))}`]),
    ...others.map(({ path, target }) => `ln -s ${quote(target)} ${quote(at(path))}`),
  ];
}

/** To mount something on. */
function makeFiles(paths: readonly string[]): readonly string[] {
  const folders = [...new Set(paths.map((path) => dirname(path)))];
  return [`mkdir -p ${folders.map(quote).join(" ")}`, ...paths.map((path) => `: >${quote(path)}`)];
}

const deviceFolders = ["pts", "shm"];

/**
 * Makes `folder` what every sandbox has as its /dev, before the devices themselves are mounted there. One that is there
 * stays as it is: it is in use, and what is removed from it is lost to all that run. Whoever makes it otherwise gives it
 * another name.
 */
export function makeDevices(folder: string): void {
  if (isThere(folder)) return;
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  const folders = [unfinished, ...deviceFolders.map((name) => join(unfinished, name))];
  for (const path of folders) mkdirSync(path);
  for (const name of devices) writeFileSync(join(unfinished, name), "");
  const links = new Map([
    ["ptmx", "pts/ptmx"],
    ["fd", "/proc/self/fd"],
    ...["stdin", "stdout", "stderr"].map((name, number) => [name, `/proc/self/fd/${number}`] as const),
  ]);
  for (const [name, target] of links) symlinkSync(target, join(unfinished, name));
  // Everybody may look into it, whatever the umask was.
  for (const path of folders) chmodSync(path, 0o755);
  renameSync(unfinished, folder);
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

/** Where names are looked up; systemd keeps it outside /etc. */
function resolverFiles(): readonly string[] {
  const path = "/etc/resolv.conf";
  return existsSync(path) ? [realpathSync(path)] : [];
}

function isWithin(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside === "" || (inside !== ".." && !inside.startsWith(`..${sep}`));
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function isFolderItself(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return lstatSync(realpathSync(path)).isDirectory();
}
