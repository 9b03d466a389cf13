import { type Static, Type } from "typebox";
import { Choice, Closed, DateTime, Nullable, Uuid } from "../../operation/schema.ts";

export const deploymentStatuses = [
  "AWAITING_CHECKS",
  "QUEUED",
  "BUILDING",
  "PUSHING",
  "DEPLOYING",
  "LIVE",
  "FAILED",
  "CANCELLED",
  "SKIPPED",
] as const;
export type DeploymentStatus = (typeof deploymentStatuses)[number];

export const deploymentTriggers = ["MANUAL", "API", "PUSH", "ROLLBACK", "PREVIEW"] as const;
export type DeploymentTrigger = (typeof deploymentTriggers)[number];

const sha = "8a8d3e7f0c5b4a6d9e2f1a3b5c7d9e0f2a4b6c8d";

const base = {
  id: Type.String(),
  status: Choice(deploymentStatuses),
  commitSha: Nullable(Type.String({ examples: [sha] })),
  commitMessage: Nullable(
    Type.String({ description: "The first line of the commit's message.", examples: ["Show prices in MAD"] }),
  ),
  errorMessage: Nullable(Type.String({ description: "Why it ended without going live, and what to do." })),
  createdAt: DateTime,
  finishedAt: Nullable(DateTime),
};

export const Deployment = Closed(base, { title: "Deployment" });
export type Deployment = Static<typeof Deployment>;

const BuildPlan = Closed(
  {
    found: Type.String({ description: "The stack, and its framework.", examples: ["Node.js, Next.js"] }),
    reasons: Type.Array(Type.String({ examples: ["package.json found"] }), {
      description: "What in the source led to it.",
    }),
    steps: Type.Array(
      Closed({ name: Type.String({ examples: ["install"] }), value: Type.String({ examples: ["npm ci"] }) }),
      { description: "What is done, in order, and what runs in the end." },
    ),
  },
  { description: "What was found in the source; null until it was looked at." },
);

export const DeploymentDetails = Closed(
  {
    ...base,
    serviceId: Uuid,
    trigger: Choice(deploymentTriggers, "What started it."),
    isCurrent: Type.Boolean({ description: "Whether this is the deployment that serves." }),
    startedAt: Nullable(DateTime),
    buildSeconds: Nullable(Type.Number({ description: "How long the build took.", examples: [32.4] })),
    buildPlan: Nullable(BuildPlan),
    diagnosis: Nullable(Type.String({ description: "What an AI made of a failure; null where none is configured." })),
  },
  { title: "DeploymentDetails" },
);
export type DeploymentDetails = Static<typeof DeploymentDetails>;

export const DeploymentResponse = Closed({ deployment: DeploymentDetails });
export const DeploymentAccepted = Closed({ deploymentId: Type.String() }, { title: "DeploymentAccepted" });

export const DeployRequest = Closed({
  commitSha: Type.Optional(
    Type.String({
      pattern: "^[0-9a-f]{7,64}$",
      description: "The branch's newest commit when left out.",
      examples: [sha],
    }),
  ),
  branch: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "The service's branch when left out." }),
  ),
  clearCache: Type.Optional(Type.Boolean({ description: "Forget the dependencies kept from earlier builds." })),
});
export type DeployRequest = Static<typeof DeployRequest>;

export const RollbackRequest = Closed({
  deploymentId: Type.String({
    ...Uuid,
    description: "A deployment of this service that was live and whose build is still kept (the last five are).",
  }),
});
