/** The one way time enters code: services and reconcilers are handed a clock, so that a test can move it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
