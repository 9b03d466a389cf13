/**
 * What a database's sandbox runs, in its folder and with its own user's rights:
 *
 *   data      the cluster; made as `data.new` and given its name when it is whole, so that one that is there is never remade
 *   socket    Ksar's own way in, which no other user can enter
 *   hba.conf  who may come from where; written anew at each start, as are all settings, so that a newer Ksar's count
 *
 * SIGTERM reaches the shell and the server alike, and would have the server wait for its clients: the shell tells it to
 * end now, in order (SIGINT, "fast shutdown"). One that was killed recovers from its log at the next start.
 */
import { adminRole, tenantDatabase, tenantRole } from "../../../engine.ts";
import { quote } from "../sandbox/shell-scripts.ts";

export const adminVerifierVariable = "KSAR_ADMIN_VERIFIER";

/**
 * The superuser comes through the socket alone, the tenant through TCP alone, both with passwords. Whoever else there may
 * be comes nowhere.
 */
const accessRules = [
  `local all ${adminRole} scram-sha-256`,
  "local all all reject",
  `host ${tenantDatabase} ${tenantRole} 127.0.0.1/32 scram-sha-256`,
  "host all all all reject",
];

/** Of the memory that it may use, what PostgreSQL's manual advises. */
const bufferShare = 0.25;
/** Each is a process of a few MB. */
const mostConnections = 50;

/**
 * Who has more than its room is ended and started again, to delete something. One that only writes on would grow a little
 * each time, without end: from twice its room on, and what can be written between two looks at it, it is started no more.
 */
function mostMb(roomMb: number): number {
  return 2 * roomMb + 1024;
}

/** EX_TEMPFAIL of sysexits.h. */
export const heldDownCode = 75;

interface Room {
  readonly memoryMb: number;
  readonly diskMb: number;
}

/** A cluster is a thousand files: to sync their file system takes a third of what each by itself does. */
const canSyncAll = process.platform === "linux";

function settings({ memoryMb, diskMb }: Room): Readonly<Record<string, string>> {
  return {
    listen_addresses: "127.0.0.1",
    // Relative to the cluster: the folder's whole path may be longer than a socket's may be.
    unix_socket_directories: "../socket",
    unix_socket_permissions: "0700",
    password_encryption: "scram-sha-256",
    max_connections: String(mostConnections),
    // A neighbour who opens connections and says nothing holds none of them for long.
    authentication_timeout: "10s",
    shared_buffers: `${Math.max(16, Math.floor(memoryMb * bufferShare))}MB`,
    maintenance_work_mem: "32MB",
    autovacuum_max_workers: "2",
    jit: "off",
    // What one query may put on the disk before it is refused; its log of changes likewise, between checkpoints.
    temp_file_limit: `${Math.min(1024, Math.max(32, Math.floor(diskMb / 4)))}MB`,
    max_wal_size: `${Math.min(256, Math.max(32, Math.floor(diskMb / 8)))}MB`,
    min_wal_size: "32MB",
    ...(canSyncAll ? { recovery_init_sync_method: "syncfs" } : {}),
    // Nobody but the tenant may copy its data away: no replication, so that no slot keeps the log for ever either.
    max_wal_senders: "0",
    max_replication_slots: "0",
    // What tenants write into queries is theirs.
    log_min_error_statement: "panic",
    log_line_prefix: "",
    log_checkpoints: "off",
  };
}

/** A command line for `/bin/sh`; `toolchains` holds `postgres-<major>`. */
export function startScript(toolchains: string, major: string, room: Room): string {
  const options = Object.entries(settings(room)).map(([name, value]) => `-c ${quote(`${name}=${value}`)}`);
  const locale = "--locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C --encoding=UTF8";
  const sync = canSyncAll ? "--sync-method=syncfs" : "";
  return `set -eu
umask 077
if [ -e data/PG_VERSION ]; then
  read -r major <data/PG_VERSION
else
  major=${quote(major)}
  rm -rf data.new
  printf '%s\\n' "$${adminVerifierVariable}" | ${quote(`${toolchains}/postgres-`)}"$major"/bin/initdb -D data.new \\
    -U ${adminRole} --pwfile=/dev/stdin --auth=scram-sha-256 --no-instructions ${locale} ${sync} >/dev/null
  mv data.new data
  sync . 2>/dev/null || sync
fi
unset ${adminVerifierVariable}
# As the server does when it starts: what a query left there must not keep it from starting.
rm -rf data/base/pgsql_tmp data/base/*/t[0-9]*_[0-9]* || :
if [ "$(du -sk . | cut -f 1)" -gt ${mostMb(room.diskMb) * 1024} ]; then
  echo ${quote(`This database takes more than twice the disk that it has (${room.diskMb} MB), and is not started any more: ask the operator for more room.`)} >&2
  exit ${heldDownCode}
fi
rm -rf socket
mkdir socket
printf '%s\\n' ${accessRules.map(quote).join(" ")} >hba.conf
# The number in it may be another process's by now; the server takes its parent's for a leftover (see disown in
# platform/postgres), and an empty one is of a power cut.
if [ -s data/postmaster.pid ]; then
  { echo "$$"; tail -n +2 data/postmaster.pid; } >postmaster.new
  cat postmaster.new >data/postmaster.pid
  rm postmaster.new
else
  rm -f data/postmaster.pid
fi
${quote(`${toolchains}/postgres-`)}"$major"/bin/postgres -D data -p "$PORT" -c hba_file="$PWD/hba.conf" \\
  ${options.join(" \\\n  ")} &
server=$!
trap 'kill -INT "$server" 2>/dev/null || :' TERM
code=0
while :; do
  code=0
  wait "$server" || code=$?
  kill -0 "$server" 2>/dev/null || break
done
exit "$code"`;
}
