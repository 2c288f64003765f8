import type { Axis } from '../timeline/axis.ts';
import { plainText } from '../words/plain.ts';

/** Fields of a step for finding it on the time axis. */
interface SelectableStep {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since the epoch; undefined until it has begun. */
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  readonly engine?: { readonly experiment: string } | undefined;
}

/** The axis and steps of a selection. */
interface SelectableRun {
  readonly axis: Axis;
  readonly steps: readonly SelectableStep[];
}

/** The selection in a link. */
interface Selection {
  readonly mark: number | undefined;
  readonly step: number | undefined;
}

/**
 * Changes of a view with one selection for steps and marks: selecting a step selects its mark, and the other way round. Other
 * changes stay as they are. Pure.
 */
export function withSelection<Changes extends Partial<Selection>>(
  changes: Changes,
  before: Selection,
  run: SelectableRun,
): Changes & Partial<Selection> {
  if (run.steps.length === 0) return changes;
  if ('step' in changes && !('mark' in changes) && changes.step !== before.step)
    return { ...changes, mark: markOfStep(run.axis, run.steps[changes.step ?? -1]) };
  if (changes.mark !== undefined && changes.mark !== before.mark && !('step' in changes))
    return { ...changes, step: stepOfMark(run, changes.mark) };
  return changes;
}

/** Times of steps may be whole seconds, while those of the axis are exact. */
const SLACK_MS = 1000;
/** Marks of a lane that decide its steps; limited because this runs while the pointer moves. */
const MOST_MARKS = 500;

/** The step of a mark: among those running at its time the one named by its lane or label, else the first. Pure. */
function stepOfMark({ axis, steps }: SelectableRun, id: number): number | undefined {
  const mark = axis.marks[id];
  if (mark === undefined) return undefined;
  const lane = axis.lanes[mark.lane];
  const atMs = axis.startMs + mark.startMs;
  let first: number | undefined;
  for (const [index, step] of steps.entries()) {
    const { startMs = Infinity, endMs = Infinity } = step;
    if (startMs > atMs + SLACK_MS || endMs < atMs) continue;
    const names = [step.name, step.engine?.experiment ?? ''].filter(Boolean).map(plainText);
    const isNamed =
      lane?.group === 'Steps'
        ? lane.name === names[0]
        : names.some((name) => lane?.name.includes(name) || mark.label.startsWith(name));
    if (isNamed) return index;
    first ??= index;
  }
  return first;
}

/** The mark of a step in the lanes of steps; undefined until it has begun. Pure. */
function markOfStep({ lanes, marks, startMs }: Axis, step: SelectableStep | undefined): number | undefined {
  if (step?.startMs === undefined) return undefined;
  const name = plainText(step.name);
  const atMs = step.startMs - startMs;
  let nearest: number | undefined;
  for (const [id, mark] of marks.entries()) {
    const lane = lanes[mark.lane];
    if (lane?.group !== 'Steps' || lane.name !== name) continue;
    const distance = Math.abs(mark.startMs - atMs);
    if (nearest === undefined || distance < Math.abs((marks[nearest]?.startMs ?? 0) - atMs)) nearest = id;
  }
  return nearest;
}

/** Name of the lane of targets that a mark is in; undefined for other marks. Pure. */
export function targetOf({ lanes, marks }: Axis, mark: number | undefined): string | undefined {
  const lane = lanes[marks[mark ?? -1]?.lane ?? -1];
  return lane?.group === 'Targets' ? lane.name : undefined;
}

/** The lanes of a step: its own, and those with a mark of it. Pure. */
export function lanesOfStep(run: SelectableRun, index: number): ReadonlySet<number> {
  const { axis, steps } = run;
  const found = new Set<number>();
  const { startMs = Infinity, endMs = Infinity } = steps[index] ?? {};
  const [from, to] = [startMs - SLACK_MS - axis.startMs, endMs - axis.startMs];
  for (const [id, mark] of axis.marks.entries()) {
    if (mark.startMs < from || mark.startMs > to || found.has(mark.lane)) continue;
    if (stepOfMark(run, id) === index) found.add(mark.lane);
  }
  return found;
}

/** The steps at a place on the axis: that of a mark, else all steps with marks in a lane. Pure. */
export function stepsAt(
  run: SelectableRun,
  { mark, lane }: { readonly mark: number | undefined; readonly lane: number | undefined },
): ReadonlySet<number> {
  if (run.steps.length === 0) return new Set();
  const ids =
    mark !== undefined ? [mark] : run.axis.marks.flatMap((one, id) => (one.lane === lane ? [id] : []));
  const found = ids.slice(0, MOST_MARKS).map((id) => stepOfMark(run, id));
  return new Set(found.filter((step) => step !== undefined));
}
