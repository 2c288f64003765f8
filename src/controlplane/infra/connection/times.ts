/** How often a replica says which connections it has. */
export const BEAT_MS = 10_000;
/** A connection that nobody has spoken for so long was one of a replica that is gone. */
export const STALE_MS = 30_000;
/** An infrastructure whose agent has been away so long is lost; shorter is a restart. */
export const LOST_MS = 60_000;
