/**
 * Which of a run's values the log must not show, in a form that can be kept on disk: by the names of the variables that
 * hold them. The values themselves are remembered by the run's own shell, in the environment it was started with.
 */

import { Mask } from "./mask.ts";
import { environmentOf } from "./process-table.ts";
import { secretsVariable, variablePrefix } from "./sandbox/shell-scripts.ts";
import type { Environment } from "./tenant-environment.ts";

export interface SecretsRecord {
  readonly secretVariables: readonly string[];
  /** There are some that no variable holds. */
  readonly otherSecrets: boolean;
}

export function describeSecrets(
  environment: Environment,
  mask: readonly string[],
): { readonly record: SecretsRecord; readonly others: readonly string[] } {
  const variables = Object.entries(environment).filter(([, value]) => mask.includes(value));
  const values = new Set(variables.map(([, value]) => value));
  const others = mask.filter((value) => !values.has(value));
  return { record: { secretVariables: variables.map(([name]) => name), otherSecrets: others.length > 0 }, others };
}

/** What the shell of a run remembers; when it is gone, and there were secrets, each line is masked. */
export function recallMask(record: SecretsRecord, pid: number | null): Mask {
  if (record.secretVariables.length === 0 && !record.otherSecrets) return new Mask([]);
  const environment = pid === null ? null : environmentOf(pid);
  const values = record.secretVariables.map((name) => environment?.get(`${variablePrefix}${name}`));
  const others = record.otherSecrets ? environment?.get(secretsVariable) : "[]";
  if (others === undefined || !values.every((value) => value !== undefined)) return new Mask(null);
  const parsed = parseValues(others);
  return parsed === null ? new Mask(null) : new Mask([...values, ...parsed]);
}

/** A tenant of Ksar's own user may have written over the shell's environment: null for anything but a list of texts. */
function parseValues(text: string): readonly string[] | null {
  try {
    const values: unknown = JSON.parse(text);
    return Array.isArray(values) && values.every((value) => typeof value === "string") ? values : null;
  } catch {
    return null;
  }
}
