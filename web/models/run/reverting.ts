import type { Axis } from '../timeline/axis.ts';
import { momentWords, offsetWords } from '../timeline/describe.ts';
import { durationWords } from '../words/duration.ts';

/** A fault that was in force when a run was stopped. */
interface RevertRow {
  readonly name: string;
  readonly state: 'in force' | 'reverted' | 'not reverted';
  /** When, in words. */
  readonly when: string;
  /** The mark of it on the axis. */
  readonly mark: number;
}

/** Progress of the end of a stopped run. */
interface Reverting {
  readonly sentence: string;
  readonly rows: readonly RevertRow[];
}

/** A stopped run. */
interface StoppedRun {
  readonly axis: Axis;
  /** Whether the run has ended. */
  readonly isOver: boolean;
  /** When the page noticed the stop, in milliseconds of the axis; the stop itself was no later. @default the end of the axis */
  readonly seenMs?: number;
}

/**
 * Progress of the reverts after a stop, target by target, without faults that ended before the stop, as far as its time is
 * known. Pure.
 */
export function revertingOf({ axis, isOver, seenMs = axis.lengthMs }: StoppedRun): Reverting {
  const stopMs = stopOf(axis);
  const rows = axis.marks.flatMap(({ lane, kind, startMs, endMs }, mark): RevertRow[] => {
    const { group, name } = axis.lanes[lane] ?? {};
    const isHit = kind === 'open' || kind === 'injected' || kind === 'ineffective';
    if (group !== 'Targets' || name === undefined || !isHit || startMs === endMs) return [];
    const isInForce = kind === 'open' || (!axis.isExact && !isOver && endMs >= axis.lengthMs);
    if (!isInForce && endMs < (stopMs ?? seenMs)) return [];
    if (isInForce && isOver)
      return [{ name, state: 'not reverted', when: `since ${offsetWords(startMs)}`, mark }];
    if (isInForce) return [{ name, state: 'in force', when: `since ${offsetWords(startMs)}`, mark }];
    return [{ name, state: 'reverted', when: axis.isExact ? `at ${offsetWords(endMs)}` : '', mark }];
  });
  return { sentence: sentenceOf(rows, isOver, axis, stopMs), rows };
}

/** When the stop reached the experiments; undefined until that is known. */
function stopOf({ marks, isExact }: Axis): number | undefined {
  const stop = isExact ? marks.find(({ label }) => /^(?:Aborted|Halted):/.test(label)) : undefined;
  return stop?.startMs;
}

function sentenceOf(
  rows: readonly RevertRow[],
  isOver: boolean,
  axis: Axis,
  stopMs: number | undefined,
): string {
  const left = rows.filter(({ state }) => state !== 'reverted').length;
  const when = stopMs === undefined ? '' : ` ${momentWords(stopMs)}`;
  if (!isOver) {
    if (rows.length === 0) return 'The run is being stopped; no fault is known to be in force.';
    return left === 0
      ? `All ${rows.length} are reverted; the run is ending.`
      : `Reverting: ${rows.length - left} of ${rows.length} reverted.`;
  }
  if (rows.length === 0) return `The run was stopped${when} with nothing in force.`;
  if (left > 0)
    return `The run was stopped${when}, and ${left} of ${rows.length} are not reverted. Halt, in the bar above, reverts them.`;
  const last = Math.max(...rows.map(({ mark }) => axis.marks[mark]?.endMs ?? 0));
  const within =
    stopMs === undefined || !axis.isExact ? '' : ` within ${durationWords(Math.max(0, last - stopMs))}`;
  return `The run was stopped${when}; everything is normal again: ${rows.length} of ${rows.length} reverted${within}.`;
}
