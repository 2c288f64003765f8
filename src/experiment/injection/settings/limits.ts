/**
 * Upper ends of the settings that all faults share. They are far above what a user means, and low enough to refuse a slip of the hand
 * before it becomes a run of years: every value can be waited for, planned and shown.
 */

/** Seven days, for how long chaos lasts and for the time from one round to the next. */
export const MAX_CHAOS_SECONDS = 7 * 24 * 3600;

/** A day, for single waits: ramps, recoveries, grace periods. */
export const MAX_WAIT_SECONDS = 24 * 3600;

/** An hour: a helper whose experiment is gone keeps its fault in force until its lease is over. */
export const MAX_LEASE_SECONDS = 3600;

/** Shares of more than 100 percent mean all, as upstream's charts may have them. */
export const MAX_SHARE = 1000;
