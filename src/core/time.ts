export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The longest that a timer takes: anything above fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The longest that anybody outside is believed who asks to be left alone: one bogus header must not hold a run for years. */
export const LONGEST_ASKED_MS = HOUR_MS;

/** Injected wherever a time is recorded, so that tests own it. Epoch milliseconds. */
export type Clock = () => number;
