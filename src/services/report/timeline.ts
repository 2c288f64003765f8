import {
  type ChaosEngine,
  type ChaosResult,
  KEPT_ENGINE_STEPS,
  stepIdentity,
  TIMELINE_LIMIT,
  type TimelineEntry,
} from '../../api/index.ts';
import { belongsToRun } from '../../chaos/run-id.ts';

/**
 * The steps of one run in order of time: the engine's own (operator, runner), those of its results, and those that results keep of an
 * engine that is gone, each once.
 *
 * Leaves out entries of other runs of the same engine when `runId` is given; entries with equal times keep the order
 * engine, then results, so that cause stands before effect. Where an object may have dropped older steps of the run, the
 * first entry says so. Pure.
 */
export function mergeTimeline(
  engine: ChaosEngine | undefined,
  results: readonly ChaosResult[],
  runId?: string,
): TimelineEntry[] {
  const isMeant = (entry: TimelineEntry): boolean =>
    runId === undefined || entry.runId === undefined || belongsToRun(entry.runId, runId);
  const sources = sourcesOf(engine, results);
  const unique = new Map<string, TimelineEntry>();
  for (const entry of sources.flatMap(({ entries }) => entries)) {
    const identity = stepIdentity(entry);
    if (isMeant(entry) && !unique.has(identity)) unique.set(identity, entry);
  }
  const sorted = [...unique.values()]
    .map((entry, index) => ({ entry, index }))
    .sort((a, b) => a.entry.time.localeCompare(b.entry.time) || a.index - b.index)
    .map(({ entry }) => entry);
  return [...droppedSteps(sources, isMeant, sorted[0]?.time), ...sorted];
}

/** One list of steps, and how many of them its object holds at most. */
interface Source {
  readonly object: string;
  readonly limit: number;
  readonly entries: readonly TimelineEntry[];
}

function sourcesOf(engine: ChaosEngine | undefined, results: readonly ChaosResult[]): Source[] {
  const own = engine?.status?.timeline;
  return [
    { object: `chaosengine/${placeOf(engine?.metadata)}`, limit: TIMELINE_LIMIT, entries: own ?? [] },
    ...results.map(({ metadata, status }) => ({
      object: `chaosresult/${placeOf(metadata)}`,
      entries: status?.engineTimeline ?? [],
      // While the engine exists these are copies, or those of an earlier engine of its name.
      limit: own === undefined ? KEPT_ENGINE_STEPS : Number.POSITIVE_INFINITY,
    })),
    ...results.map(({ metadata, status }) => ({
      object: `chaosresult/${placeOf(metadata)}`,
      limit: TIMELINE_LIMIT,
      entries: status?.timeline ?? [],
    })),
  ];
}

function placeOf(metadata: ChaosResult['metadata'] | undefined): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}

/** An entry per full list whose oldest step belongs to the run: older steps may have been dropped. */
function droppedSteps(
  sources: readonly Source[],
  isMeant: (entry: TimelineEntry) => boolean,
  firstTime: string | undefined,
): TimelineEntry[] {
  return sources.flatMap(({ object, limit, entries: [oldest, ...others] }) => {
    if (oldest === undefined || others.length + 1 < limit || !isMeant(oldest)) return [];
    const message = `older steps may be missing: ${object} holds the latest ${limit}`;
    return [
      { time: firstTime ?? oldest.time, actor: 'turnsole', step: 'OlderStepsDropped', object, message },
    ];
  });
}

/** `+12.345s`, padded so that minutes of run still line up. */
export function formatOffset(milliseconds: number): string {
  return `+${(milliseconds / 1000).toFixed(3)}s`.padStart(9);
}
