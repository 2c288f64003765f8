/**
 * The timeline: what was done in a run, step by step, append-only.
 *
 * Engine-level steps (operator, runner) stand in `ChaosEngine.status.timeline`, those of one experiment in
 * `ChaosResult.status.timeline`, so that each list has few writers and survives as long as its object. When an engine
 * is stopped or deleted, its list is kept in `ChaosResult.status.engineTimeline`. Kubernetes Events expire after an
 * hour; these do not. `turnsole timeline` merges all.
 */
export interface TimelineEntry {
  /** RFC 3339 with milliseconds. */
  readonly time: string;
  /** The one who acted: `operator`, `runner`, `experiment/<name>`, `helper/<pod>`, `probe/<name>`, `user`. */
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

/** Step of an experiment: its process has begun to work. */
export const EXPERIMENT_STARTED = 'ExperimentStarted';

/** Step of an experiment: its judgement, the last step of its run. */
export const VERDICT_STEP = 'Verdict';

/** Step of an experiment, before its judgement: a machine of the run could not keep up. */
export const MACHINE_OVERLOADED = 'MachineOverloaded';

/** Step of an experiment: the first round or hold begins; TOTAL_CHAOS_DURATION counts from here. */
export const CHAOS_STARTED = 'ChaosStarted';

/** Step of an experiment: the last round or hold is over, and what it hit has recovered or been reverted. */
export const CHAOS_ENDED = 'ChaosEnded';

/** Steps of an experiment: what became of a pod that it hits, by the state of the pod. */
export const POD_STEPS = {
  ready: 'PodReady',
  unready: 'PodNotReady',
  terminating: 'PodTerminating',
  ended: 'PodEnded',
  gone: 'PodGone',
} as const;

/** Step of an experiment: containers of a pod that it hits were restarted. */
export const POD_RESTARTED = 'PodRestarted';

/** Oldest entries are dropped beyond this many per object, so that an object stays far below etcd's 1.5 MiB. */
export const TIMELINE_LIMIT = 1000;

/** The same for the steps of an engine that its results keep: each result of the engine has a copy. */
export const KEPT_ENGINE_STEPS = 300;

/** Gives the list with `entries` appended and the limit kept; pure. */
export function appendTimeline(
  timeline: readonly TimelineEntry[] | undefined,
  ...entries: readonly TimelineEntry[]
): TimelineEntry[] {
  return [...(timeline ?? []), ...entries].slice(-TIMELINE_LIMIT);
}

/**
 * The timeline of an engine with the lines that were stored before and that another writer has dropped, in the order of their
 * times. Where the first of them is still there nothing was dropped. Pure.
 */
export function restoreTimeline(
  stored: readonly TimelineEntry[] | undefined,
  present: readonly TimelineEntry[] | null | undefined,
): readonly TimelineEntry[] {
  const [first] = stored ?? [];
  const lines = present ?? [];
  const isFull = lines.length >= TIMELINE_LIMIT;
  const known = new Set(lines.map(stepIdentity));
  if (first === undefined || isFull || known.has(stepIdentity(first))) return lines;
  const lost = (stored ?? []).filter((entry) => !known.has(stepIdentity(entry)));
  return [...lost, ...lines].sort((a, b) => Date.parse(a.time) - Date.parse(b.time));
}

/**
 * The steps of an engine as a result keeps them: what it keeps of earlier engines of that name, then those of this one,
 * each once, the latest {@link KEPT_ENGINE_STEPS}. Pure.
 */
export function keepEngineSteps(
  kept: readonly TimelineEntry[] | null | undefined,
  steps: readonly TimelineEntry[],
): TimelineEntry[] {
  const unique = new Map([...(kept ?? []), ...steps].map((entry) => [stepIdentity(entry), entry]));
  return [...unique.values()].slice(-KEPT_ENGINE_STEPS);
}

/** Equal for two entries of different objects that are one step: copies are alike in everything. */
export function stepIdentity({ time, actor, step, object, message, runId }: TimelineEntry): string {
  return JSON.stringify([time, actor, step, object, message, runId]);
}
