import { type Static, Type } from "typebox";
import { Choice, Closed, cursor, DateTime, limit, Nullable, PageOf, Uuid } from "../../operation/schema.ts";

const schedule = Type.String({
  minLength: 1,
  maxLength: 120,
  description: "Five fields (minute, hour, day of month, month, day of week), or a word such as `@hourly`.",
  examples: ["30 2 * * *"],
});
const timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "The IANA time zone that the schedule is meant in.",
  examples: ["Africa/Casablanca"],
});
const command = Type.String({
  minLength: 1,
  maxLength: 4000,
  description: "A shell command line. It runs where the service's start command runs.",
  examples: ["node scripts/report.js"],
});
const timeoutSeconds = Type.Integer({
  minimum: 1,
  maximum: 3600,
  description: "A run that takes longer is killed, with everything that it started: FAILED, exit code 124.",
});
const name = Type.String({ minLength: 1, maxLength: 80, examples: ["Nightly report"] });
const enabled = Type.Boolean({ description: "false pauses the schedule; runs by hand go on." });

const runStatuses = ["QUEUED", "RUNNING", "SUCCESS", "FAILED", "SKIPPED"] as const;

const jobFields = {
  id: Uuid,
  name: Type.String({ examples: ["Nightly report"] }),
  schedule: Type.String({ examples: ["30 2 * * *"] }),
  timezone: Type.String({ examples: ["Africa/Casablanca"] }),
  enabled: Type.Boolean(),
  serviceId: Nullable(Uuid),
  lastRunAt: Nullable(Type.String({ ...DateTime, description: "When a run last began." })),
  nextRunAt: Nullable(Type.String({ ...DateTime, description: "null while the job is paused." })),
  lastStatus: Nullable(Choice(runStatuses, "What happened last to any of its runs.")),
};

export const CronJob = Closed(jobFields, { title: "CronJob" });
export type CronJob = Static<typeof CronJob>;

export const CronJobDetails = Closed(
  {
    ...jobFields,
    command: Type.String({ examples: ["node scripts/report.js"] }),
    timeoutSeconds: Type.Integer({ examples: [300] }),
    lastExitCode: Nullable(Type.Integer({ description: "Of the run that ended last.", examples: [0] })),
  },
  { title: "CronJobDetails" },
);
export type CronJobDetails = Static<typeof CronJobDetails>;

export const CronJobResponse = Closed({ cronJob: CronJobDetails });
export const CronJobCreated = Closed({ cronJob: Closed({ id: Uuid }) });
export const CronJobQuery = Closed({ limit: limit(100, 20), cursor });
export const CronJobPage = PageOf(CronJob);

export const NewCronJob = Closed({
  name,
  schedule,
  command,
  serviceId: Type.Optional(
    Type.String({ ...Uuid, description: "In whose release and environment it runs; in a bare sandbox when left out." }),
  ),
  timezone: Type.Optional(Type.String({ ...timezone, default: "UTC" })),
  timeoutSeconds: Type.Optional(Type.Integer({ ...timeoutSeconds, default: 300 })),
});
export type NewCronJob = Static<typeof NewCronJob>;

export const CronJobChanges = Closed({
  name: Type.Optional(name),
  schedule: Type.Optional(schedule),
  command: Type.Optional(command),
  serviceId: Type.Optional(Nullable(Type.String({ ...Uuid, description: "null: in a bare sandbox from now on." }))),
  timezone: Type.Optional(timezone),
  timeoutSeconds: Type.Optional(timeoutSeconds),
  enabled: Type.Optional(enabled),
});
export type CronJobChanges = Static<typeof CronJobChanges>;

export const CronRun = Closed(
  {
    id: Uuid,
    status: Choice(runStatuses),
    trigger: Choice(["SCHEDULE", "MANUAL"]),
    scheduledFor: Type.String({ ...DateTime, description: "The due time; of a run by hand, when it was asked for." }),
    startedAt: Nullable(DateTime),
    finishedAt: Nullable(DateTime),
    exitCode: Nullable(
      Type.Integer({ description: "124 when its time was over, 128 and the signal's number when one ended it." }),
    ),
    error: Nullable(
      Type.String({
        description: "Why it failed, was skipped, or still waits: a sentence.",
        examples: ["The command ended with code 1."],
      }),
    ),
  },
  { title: "CronRun" },
);
export type CronRun = Static<typeof CronRun>;

export const CronRunPage = PageOf(CronRun);
