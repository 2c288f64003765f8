import type { ChaosEngine, ChaosResult } from '../../api/index.ts';
import { belongsToRun } from '../../api/run-id.ts';
import type { TimelineEntry } from '../../api/timeline.ts';

/**
 * The steps of one run in order of time: the engine's own (operator, runner) and those of its results.
 *
 * Entries of other runs of the same engine are left out when `runId` is given; entries with equal times keep the order
 * engine, then results, so that cause stands before effect.
 */
export function mergeTimeline(
  engine: ChaosEngine | undefined,
  results: readonly ChaosResult[],
  runId?: string,
): TimelineEntry[] {
  const entries = [engine?.status?.timeline, ...results.map((result) => result.status?.timeline)].flatMap(
    (timeline) => timeline ?? [],
  );
  return entries
    .filter((entry) => runId === undefined || entry.runId === undefined || belongsToRun(entry.runId, runId))
    .map((entry, index) => ({ entry, index }))
    .sort((a, b) => a.entry.time.localeCompare(b.entry.time) || a.index - b.index)
    .map(({ entry }) => entry);
}

/** Lines such as `+0.213s  runner      JobCreated     created Job pod-delete-x1b2c3`, relative to the first entry. */
export function formatTimeline(
  entries: readonly TimelineEntry[],
  options: { absolute?: boolean } = {},
): string[] {
  const start = Date.parse(entries[0]?.time ?? '');
  const actorWidth = Math.max(0, ...entries.map((entry) => entry.actor.length));
  const stepWidth = Math.max(0, ...entries.map((entry) => entry.step.length));
  return entries.map((entry) => {
    const time = options.absolute === true ? entry.time : formatOffset(Date.parse(entry.time) - start);
    return `${time}  ${entry.actor.padEnd(actorWidth)}  ${entry.step.padEnd(stepWidth)}  ${entry.message}`;
  });
}

/** `+12.345s`, padded so that minutes of run still line up. */
export function formatOffset(milliseconds: number): string {
  return `+${(milliseconds / 1000).toFixed(3)}s`.padStart(9);
}
