/** What became of an attempt. */
export interface Outcome {
  readonly success: boolean;
  readonly statusCode: number | null;
  /** For the account's people; null when it succeeded. */
  readonly error: string | null;
  /** Whether another attempt may go better. */
  readonly again: boolean;
  /** Before which the receiver wants no other. */
  readonly notBefore: Date | null;
  /** The receiver wants nothing more at all. */
  readonly gone: boolean;
}

const passing = { success: false, statusCode: null, again: true, notBefore: null, gone: false } as const;

export function delivered(statusCode: number | null): Outcome {
  return { ...passing, success: true, statusCode, error: null, again: false };
}

export function failed(error: string, about: Partial<Outcome> = {}): Outcome {
  return { ...passing, error, ...about };
}
