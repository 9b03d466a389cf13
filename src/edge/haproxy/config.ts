/**
 * HAProxy's configuration. It names no service: who answers for which host stands in a map, and the instances are
 * servers added at run time to one of a fixed number of slots (empty backends), because HAProxy can't make backends
 * while it runs.
 *
 * A request goes to its slot when it is plain. Whatever is unusual goes to the built-in part, whose rules are the
 * edge's rules: a target in absolute form, an upgrade to anything but a WebSocket, headers named by `Connection`,
 * `Expect`, HTTP/1.0. Headers about the visitor are written here in both cases.
 *
 * The work of a plain request is kept short: a condition costs some 450 instructions of the 48,000 that a request takes.
 * So the names of all headers are looked through at once, and `unusualRules` are for those alone that have one of note.
 * Two things are left out because they cost more than they give: `retry-on empty-response` (5 µs of 15: it copies the
 * whole buffer) and buffers for heads above 15 KiB (3 % of the requests a second for one of 32 KiB).
 *
 * What it counts is read from its statistics (traffic.ts). What those don't tell goes, as lines through a ring, to the
 * edge (traffic-log.ts): the latencies, of every request of a service with less than 50 a second and of one in 32 of the
 * others (a line costs 1 µs); answers that HAProxy makes itself; upgrades.
 */
import { errorPageRules, pageKind } from "./error-pages.ts";

export interface HaproxySettings {
  /** Holds all of this HAProxy's files. */
  readonly folder: string;
  readonly bind: string;
  readonly port: number;
  readonly trustedProxies: readonly string[];
  readonly answerTimeoutMs: number;
  readonly slots: number;
  /** What `Haproxy.adopt` knows it by. */
  readonly description: string;
  /** Whom it becomes; null keeps the user that starts it. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

export const hostsMap = "hosts.map";
export const adminSocketName = "admin.sock";
export const builtinSocketName = "builtin.sock";

/** The server in each slot that leads to the built-in part, for when no instance takes a connection. */
export const builtinServer = "builtin";

/** Of a service, as of HAProxy's own counter: up to so many a second every request has its latency measured. */
const measuredPerSecond = 50;
const measuredShare = 32;

/** At the answer's head, so that what goes on for long is told of as it begins. */
const trafficRules: readonly string[] = [
  "log ring@traffic local0",
  "option logasap",
  // Otherwise the bytes of a request are counted when it ends; now every 5 s.
  "option contstats",
  // Numbered; a time that was not taken is "-".
  'log-format "%lc %b %s %ts %ST %Ta %[date(0,us),sub(txn.began)]"',
];

export function slotName(index: number): string {
  return `slot${index}`;
}

/**
 * An instance that refuses a connection is out of its slot at once and asked again every second; if there is no other,
 * the built-in part takes the request and tries for itself. `pool-purge-delay`: idle connections go before Node's
 * servers close theirs (5 s). Dynamic servers inherit no defaults.
 */
export const serverSettings =
  "check inter 24d downinter 1s rise 1 fall 1 observe layer4 error-limit 1 on-error mark-down " +
  "pool-purge-delay 2s pool-max-conn -1";

export function haproxyConfig(settings: HaproxySettings): string {
  const { folder, trustedProxies, user } = settings;
  const owner = user === null ? "" : ` uid ${user.uid} gid ${user.gid}`;
  const sections: readonly (readonly [string, readonly string[]])[] = [
    [
      "global",
      [
        `description "${settings.description}"`,
        // `expose-fd listeners`: the one that replaces it takes over its port without a gap.
        `stats socket ${folder}/${adminSocketName} mode 600${owner} level admin expose-fd listeners`,
        "stats timeout 24d",
        ...(user === null ? [] : [`uid ${user.uid}`, `gid ${user.gid}`]),
        // Memory is set aside for each descriptor; some systems allow a billion.
        "fd-hard-limit 65536",
        "tune.http.maxhdr 500",
        // When another one takes over, kept connections are not cut all at once: a request may be on its way on each. Not
        // for long either: they are led to the instances of that moment.
        "close-spread-time 1s",
      ],
    ],
    [
      "ring traffic",
      [
        "format raw",
        "maxlen 1024",
        // 50,000 lines: read every 10 s.
        "size 2097152",
      ],
    ],
    [
      "defaults base",
      [
        "mode http",
        "balance leastconn",
        "timeout http-request 15s",
        "timeout http-keep-alive 75s",
        "timeout client 120s",
        `timeout server ${settings.answerTimeoutMs}`,
        // Also how long a refused connection waits before the next attempt. The built-in part, which comes after, has 5 s.
        "timeout connect 250ms",
        "timeout tunnel 24d",
        "timeout client-fin 60s",
        "timeout server-fin 60s",
        "option clitcpka",
        "option srvtcpka",
        "option abortonclose",
        "option http-no-delay",
        "option redispatch 1",
        "retries 3",
        ...errorPageRules(folder),
      ],
    ],
    ["frontend visitors from base", [...bindLines(settings), ...trafficRules, ...frontendRules(settings)]],
    [
      "backend builtin from base",
      // It keeps the time itself, and answers when that is over. It counts for itself, too.
      [
        "http-request set-log-level silent",
        ...forwardedHeaders(trustedProxies),
        "timeout connect 5s",
        "timeout server 150s",
        // What it refuses may not be what it seems, and neither may be what follows.
        "http-after-response set-header Connection close if { status 400 501 }",
        `server ${builtinServer} unix@${folder}/${builtinSocketName}`,
      ],
    ],
    [
      "defaults slots from base",
      [
        ...forwardedHeaders(trustedProxies),
        `http-request set-var(txn.began) date(0,us) if { be_sess_rate lt ${measuredPerSecond} } or { rand(${measuredShare}) eq 0 }`,
        "http-response set-log-level silent unless { var(txn.began) -m found }",
      ],
    ],
    ...Array.from(
      { length: settings.slots },
      (_, index) =>
        [
          `backend ${slotName(index)} from slots`,
          [`server ${builtinServer} unix@${folder}/${builtinSocketName} backup`],
        ] as const,
    ),
  ];
  return sections.map(([title, lines]) => `${title}\n${lines.map((line) => `  ${line}\n`).join("")}`).join("");
}

/** One for each family: in a socket for both, addresses would read `::ffff:203.0.113.9`. */
function bindLines({ bind, port }: HaproxySettings): readonly string[] {
  if (bind === "::") return [`bind 0.0.0.0:${port}`, `bind :::${port} v6only`];
  return [`bind ${bind.includes(":") ? `[${bind}]` : bind}:${port}`];
}

function frontendRules({ folder, trustedProxies }: HaproxySettings): readonly string[] {
  return [
    "option forwardfor",
    "http-request set-var(txn.id) uuid()",
    "http-request set-var(txn.accept) req.fhdr(accept)",
    // Behind a trusted proxy every request has such a name.
    ...(trustedProxies.length > 0 ? [] : [`http-request allow unless { req.hdr_names -m reg ${unusualName()} }`]),
    ...unusualRules(trustedProxies),
    "http-response del-header Keep-Alive",
    "http-response del-header Proxy-Authenticate",
    // An instance's answer: then the next rule has nothing to look at.
    "http-response unset-var(txn.accept)",
    `http-after-response set-header Content-Type "application/json; charset=utf-8" if { var(txn.accept),${pageKind(folder)} -m str json } { status ge 500 }`,
    "http-after-response set-header X-Request-Id %[var(txn.id)]",
    // What comes before the slot is nothing for a plain request, and makes it a name that no backend has for others: a
    // target that does not begin with "/", another version than 1.1, and what `unusualRules` found.
    `use_backend %[var(txn.way)]%[url,bytes(0,1),ltrim(/)]%[req.ver,ltrim(1.)]%[req.fhdr(host,1),host_only,lower,map_str(${folder}/${hostsMap})]`,
    "default_backend builtin",
  ];
}

/** How the names begin (`$`: and end) of what no visitor says to an instance; CGI and WSGI read `x_` as `x-`. */
const nobodysHeaders = ["keep-alive$", "te$", "proxy-", "x_", "x-forwarded_", "x-real_", "x-request_", "x-request-id$"];
const proxysHeaders = ["x-forwarded-", "x-real-ip$", "forwarded$"];
const routingHeaders = ["connection$", "expect$"];

/** In the names of all headers, which are lower case here, with commas between them. */
function unusualName(): string {
  const names = [...nobodysHeaders, ...proxysHeaders, ...routingHeaders].join("|");
  return `(^|,)(${names.replaceAll("$", "(,|$)")})`;
}

/** What forwarded-headers.ts does: visitors may not say who they are, trusted proxies may; either may bring the request's id. */
function unusualRules(trustedProxies: readonly string[]): readonly string[] {
  const deletion = (names: readonly string[]) => `http-request del-header ^(${names.join("|")}) -m reg`;
  const isTrusting = trustedProxies.length > 0;
  return [
    "http-request set-var(txn.id) req.fhdr(x-request-id,1) if { req.fhdr(x-request-id,1) -m reg ^[A-Za-z0-9_-]{1,128}$ }",
    ...(isTrusting
      ? [
          `acl trusted src ${trustedProxies.join(" ")}`,
          deletion(nobodysHeaders),
          `${deletion(proxysHeaders)} unless trusted`,
        ]
      : [deletion([...nobodysHeaders, ...proxysHeaders])]),
    "http-request set-var(txn.way) str(builtin-) if { req.fhdr(expect) -m found } or { req.fhdr(connection) -m found } !{ req.fhdr(upgrade) -i -m str websocket }",
    // Upgrades are counted by their lines.
    "http-request set-var(txn.began) date(0,us) if { req.fhdr(connection) -m found }",
  ];
}

/**
 * For the backends, so that they come after `unusualRules` have taken the visitor's own. `X-Forwarded-For` is written by
 * `option forwardfor`, behind what a trusted proxy says, in a line of its own: several lines are one list.
 */
function forwardedHeaders(trustedProxies: readonly string[]): readonly string[] {
  const isTrusting = trustedProxies.length > 0;
  const ifAbsent = (name: string) => (isTrusting ? ` unless { req.fhdr(${name}) -m found }` : "");
  return [
    "http-request add-header X-Request-Id %[var(txn.id)]",
    `http-request add-header X-Forwarded-Proto http${ifAbsent("x-forwarded-proto")}`,
    `http-request add-header X-Forwarded-Host %[req.fhdr(host,1)]${ifAbsent("x-forwarded-host")}`,
    // Most hosts have no port: then there is one condition to look at.
    ...(isTrusting ? ["http-request set-var(txn.has_port) bool(true) if { req.fhdr(x-forwarded-port) -m found }"] : []),
    `http-request add-header X-Forwarded-Port 80${ifAbsent("x-forwarded-port")}`,
    `http-request set-header X-Forwarded-Port %[req.fhdr(host,1),port_only] if { req.fhdr(host,1) -m sub : }${isTrusting ? " !{ var(txn.has_port) -m found }" : ""}`,
  ];
}
