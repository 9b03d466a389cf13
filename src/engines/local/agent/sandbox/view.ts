/**
 * What a tenant's process finds in its file system, as the steps of a shell that is root in its own mount namespace.
 *
 * A new root is put together from nothing: the system's programs and settings (read-only), the build or the release that it
 * is about and the service's home, cache and tmp, at the paths they have outside, devices that are no hardware, a private /tmp, the processes of its own PID namespace.
 * What is not listed here is not there: the data directory, other services, other builds of its own, homes, sockets.
 *
 * What is mounted, and where, is only ever in folders that no tenant writes to: a link there would lead Ksar astray.
 */
import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { quote } from "./shell-scripts.ts";

export interface View {
  /** An empty folder of Ksar's: the new root is mounted there. */
  readonly root: string;
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

const readOnly = "mount -o bind,ro,nosuid,nodev";
const writable = "mount -o bind,nosuid,nodev";

/** A script in which every line must succeed; it ends in the new root. */
export function mountScript(view: View): string {
  const { root, dataDir, own, user } = view;
  const at = (path: string) => quote(join(root, path));
  const folder = (path: string) => `mkdir -p ${at(path)}`;
  const file = (path: string) => `mkdir -p ${at(dirname(path))}; : >${at(path)}`;
  const visible = systemFolders.filter(isThere);
  const isVisible = (path: string) => visible.some((system) => isWithin(path, system));
  // Without links on the way: a mount point's path is made of plain folders.
  const readable = view.readable
    .filter((path) => path !== "/" && isThere(path))
    .filter((path) => !isVisible(path) || isWithin(path, dataDir));
  return [
    "set -e",
    `mount -t tmpfs -o mode=755,size=1m,nosuid ksar ${quote(root)}`,
    ...visible.flatMap((path) => [folder(path), `${readOnly} ${quote(path)} ${at(path)}`]),
    ...systemLinks.flatMap((path) => linkOrBind(path, at)),
    ...(isVisible(dataDir) ? [`mount -t tmpfs -o mode=755,size=1m,nosuid ksar ${at(dataDir)}`] : []),
    ...scratchFolders.flatMap((path) => [
      folder(path),
      isWithin(dataDir, path) || readable.some((one) => isWithin(one, path))
        ? `mount -t tmpfs -o mode=1777,size=${scratchMb}m,nosuid,nodev tmp ${at(path)}`
        : `${writable} ${quote(own.tmp)} ${at(path)}`,
    ]),
    ...readable.map((path) =>
      [isFolder(path) ? folder(path) : file(path), `${readOnly} ${quote(path)} ${at(path)}`].join("; "),
    ),
    ...[own.home, own.tmp, ...own.others].flatMap((path) => [folder(path), `${writable} ${quote(path)} ${at(path)}`]),
    folder("/dev/pts"),
    folder("/dev/shm"),
    ...devices.map((name) => `${file(`/dev/${name}`)}; mount --bind ${quote(`/dev/${name}`)} ${at(`/dev/${name}`)}`),
    `mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts ${at("/dev/pts")}`,
    `mount -t tmpfs -o mode=1777,size=${scratchMb}m,nosuid,nodev shm ${at("/dev/shm")}`,
    `ln -s pts/ptmx ${at("/dev/ptmx")}; ln -s /proc/self/fd ${at("/dev/fd")}`,
    ...["stdin", "stdout", "stderr"].map((name, number) => `ln -s /proc/self/fd/${number} ${at(`/dev/${name}`)}`),
    `${folder("/proc")}; mount -t proc -o nosuid,nodev,noexec proc ${at("/proc")}`,
    ...(view.memoryGroup === null
      ? []
      : [folder(view.memoryGroup.path), `${readOnly} ${quote(view.memoryGroup.group)} ${at(view.memoryGroup.path)}`]),
    ...resolverFile(file, at),
    // Programs look their own user up; the machine's users are nobody's business.
    `printf '%s\\n' 'root:x:0:0::/:/bin/sh' ${quote(`app:x:${user.uid}:${user.gid}::${own.home}:/bin/sh`)} >${at("/.passwd")}`,
    `printf '%s\\n' 'root:x:0:' ${quote(`app:x:${user.gid}:`)} >${at("/.group")}`,
    ...["passwd", "group"].flatMap((name) =>
      isThere(`/etc/${name}`) ? [`mount -o bind,ro ${at(`/.${name}`)} ${at(`/etc/${name}`)}`] : [],
    ),
    `mkdir ${at("/.old")}; cd ${quote(root)}; pivot_root . .old; cd /; umount -l /.old; rmdir /.old`,
    "hostname ksar 2>/dev/null || :",
  ].join("\n");
}

function linkOrBind(path: string, at: (path: string) => string): readonly string[] {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status?.isSymbolicLink()) return [`ln -s ${quote(readlinkSync(path))} ${at(path)}`];
  return status?.isDirectory() ? [`mkdir -p ${at(path)}; ${readOnly} ${quote(path)} ${at(path)}`] : [];
}

/** Where names are looked up; systemd keeps it outside /etc. */
function resolverFile(file: (path: string) => string, at: (path: string) => string): readonly string[] {
  const path = "/etc/resolv.conf";
  if (!isThere(path)) return [];
  const real = realpathSync(path);
  return isWithin(real, "/etc") ? [] : [file(real), `${readOnly} ${quote(real)} ${at(real)}`];
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
