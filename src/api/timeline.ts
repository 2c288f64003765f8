/**
 * The timeline: what was done in a run, step by step, append-only.
 *
 * Engine-level steps (operator, runner) stand in `ChaosEngine.status.timeline`, those of one experiment in
 * `ChaosResult.status.timeline`, so that each list has few writers and survives as long as its object. Kubernetes
 * Events expire after an hour; these do not. `turnsole timeline` merges both.
 */
export interface TimelineEntry {
  /** RFC 3339 with milliseconds. */
  readonly time: string;
  /** Who did it: `operator`, `runner`, `experiment/<name>`, `helper/<pod>`, `probe/<name>`, `user`. */
  readonly actor: string;
  /** CamelCase step, e.g. EngineInitialized, RunnerCreated, JobCreated, ChaosStarted, Injected, Reverted, Verdict. */
  readonly step: string;
  /** `<kind>/<namespace>/<name>` of the object acted on, if any. */
  readonly object?: string;
  /** A sentence for people. */
  readonly message: string;
  /** The run this entry belongs to; a new id per run of the same engine. */
  readonly runId?: string;
}

/** Step of an experiment: the first round or hold begins; TOTAL_CHAOS_DURATION counts from here. */
export const CHAOS_STARTED = 'ChaosStarted';

/** Step of an experiment: the last round or hold is over, and what it hit has recovered or been reverted. */
export const CHAOS_ENDED = 'ChaosEnded';

/** Oldest entries are dropped beyond this many per object, so that an object stays far below etcd's 1.5 MiB. */
export const TIMELINE_LIMIT = 1000;

/** Gives the list with `entries` appended and the limit kept; pure. */
export function appendTimeline(
  timeline: readonly TimelineEntry[] | undefined,
  ...entries: readonly TimelineEntry[]
): TimelineEntry[] {
  return [...(timeline ?? []), ...entries].slice(-TIMELINE_LIMIT);
}
