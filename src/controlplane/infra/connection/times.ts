/** Interval in which a replica renews its connections. */
export const BEAT_MS = 10_000;
/** A connection that was not renewed for this long belonged to a dead replica. */
export const STALE_MS = 30_000;
/** An infrastructure whose agent is disconnected for this long is lost; less is a restart. */
export const LOST_MS = 60_000;
