/** No known stack, but the author says how to start it: a binary, a script, whatever this machine runs. */
import { type DetectedPlan, givenStartCommand, type Inspection } from "./detector.ts";

export async function detectCommand(inspection: Inspection): Promise<DetectedPlan | null> {
  const given = inspection.wantsStatic ? null : givenStartCommand(inspection);
  if (given === null) return null;
  const { buildCommand } = inspection.settings;
  return {
    stack: "command",
    framework: null,
    packageManager: null,
    reasons: [given.reason],
    steps: buildCommand === null ? [] : [{ name: "build", command: buildCommand }],
    start: given.command,
    output: { kind: "process" },
    startEnv: {},
  };
}
