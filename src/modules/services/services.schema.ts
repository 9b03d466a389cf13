import { type Static, Type } from "typebox";
import { Choice, Closed, cursor, DateTime, limit, Nullable, Uuid } from "../../operation/schema.ts";

export const serviceTypes = ["WEB", "WORKER", "STATIC"] as const;
export const serviceStatuses = [
  "PENDING",
  "DEPLOYING",
  "RUNNING",
  "DEGRADED",
  "CRASHED",
  "STOPPED",
  "SUSPENDED",
] as const;
const builders = ["AUTO", "DOCKERFILE", "STATIC"] as const;

const base = {
  id: Type.String(),
  name: Type.String(),
  slug: Type.String({ description: "Its host name below the platform's domain." }),
  type: Choice(serviceTypes, "WEB answers at an address, WORKER runs in the background, STATIC is files."),
  status: Choice(serviceStatuses),
  url: Type.String({ description: "Where it answers; empty for a WORKER." }),
  branch: Type.String({ description: "The branch that is deployed." }),
};

/** As lists show it: the fields of the contract. */
export const Service = Closed(base, { title: "Service" });
export type Service = Static<typeof Service>;

// No leading slash, no `..`, no backslash: a folder inside the source.
const folder = Type.String({ maxLength: 300, pattern: "^(?!/)(?!.*(^|/)\\.\\.(/|$))[^\\\\\\u0000-\\u001f]*$" });
const commandLine = Type.String({ minLength: 1, maxLength: 4000, pattern: "^[^\\u0000]*$" });

const settings = {
  rootDirectory: Type.String({
    ...folder,
    description: "The folder of the repository that holds the service; empty for its root.",
    examples: [""],
  }),
  builder: Choice(
    builders,
    "AUTO looks at the source; STATIC serves it as it is; DOCKERFILE needs an engine with containers.",
  ),
  buildCommand: Nullable(
    Type.String({ ...commandLine, description: "null: found out from the source.", examples: ["npm run build"] }),
  ),
  preDeployCommand: Nullable(
    Type.String({
      ...commandLine,
      description: "Runs once after each build, before the new release starts: migrations, for example.",
    }),
  ),
  startCommand: Nullable(
    Type.String({ ...commandLine, description: "null: found out from the source.", examples: ["node server.js"] }),
  ),
  outputDirectory: Nullable(
    Type.String({ ...folder, description: "What a static build leaves, below rootDirectory." }),
  ),
  singlePage: Nullable(
    Type.Boolean({
      description: "Static files: unknown paths answer with index.html. null: decided by the framework.",
    }),
  ),
  port: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 65535,
      examples: [3000],
      description: "Where a container listens. The local engine gives each instance a port of its own in PORT.",
    }),
  ),
  healthCheckPath: Nullable(
    Type.String({
      maxLength: 500,
      pattern: "^/[!-~]*$",
      examples: ["/healthz"],
      description: "Must answer 2xx or 3xx before a release serves; null: the port must accept connections.",
    }),
  ),
  instances: Type.Integer({
    minimum: 1,
    maximum: 20,
    description: "Takes effect at once; the other settings with the next deployment.",
  }),
  cpuCores: Type.Number({ minimum: 0.1, maximum: 64, description: "Of each instance.", examples: [0.5] }),
  memoryMb: Type.Integer({ minimum: 64, maximum: 65536, description: "Of each instance, in MiB.", examples: [512] }),
  autoDeploy: Type.Boolean({ description: "Whether a push to the branch deploys it.", examples: [true] }),
  waitForChecks: Type.Boolean({ description: "Whether a push waits for the commit's checks to pass." }),
};

export const ServiceDetails = Closed(
  {
    ...base,
    projectId: Uuid,
    repoUrl: Type.String(),
    ...settings,
    currentDeploymentId: Nullable(Type.String({ description: "The deployment that serves." })),
    createdAt: DateTime,
  },
  { title: "ServiceDetails" },
);
export type ServiceDetails = Static<typeof ServiceDetails>;

export const ServiceResponse = Closed({ service: ServiceDetails });

export const ServiceQuery = Closed({
  limit: limit(100, 20),
  cursor,
  type: Type.Optional(Choice(serviceTypes, "Only services of this kind.")),
  projectId: Type.Optional(Type.String({ ...Uuid, description: "Only services of this project." })),
});

const name = Type.String({ minLength: 1, maxLength: 80 });
const repoUrl = Type.String({ minLength: 1, maxLength: 2048, description: "https, http or ssh." });
const branch = Type.String({
  minLength: 1,
  maxLength: 255,
  description: "The repository's default branch when left out.",
});
const optionalSettings = Object.fromEntries(
  Object.entries(settings).map(([key, schema]) => [key, Type.Optional(schema)]),
) as {
  // The loop above changes each entry alike, which the compiler can't see.
  [Name in keyof typeof settings]: ReturnType<typeof Type.Optional<(typeof settings)[Name]>>;
};

export const NewService = Closed(
  {
    projectId: Uuid,
    name,
    repoUrl,
    branch: Type.Optional(branch),
    type: Type.Optional(Choice(serviceTypes, "WEB when left out.")),
    ...optionalSettings,
  },
  {
    examples: [
      {
        projectId: "019cebc5-1f75-7244-8210-e48437b65569",
        name: "Shop",
        repoUrl: "https://github.com/heroku/node-js-getting-started",
      },
    ],
  },
);
export type NewService = Static<typeof NewService>;

export const ServiceChanges = Closed(
  { name: Type.Optional(name), repoUrl: Type.Optional(repoUrl), branch: Type.Optional(branch), ...optionalSettings },
  { minProperties: 1, examples: [{ instances: 2, healthCheckPath: "/healthz" }] },
);
export type ServiceChanges = Static<typeof ServiceChanges>;
