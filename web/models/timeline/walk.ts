import type { Axis } from './axis.ts';

/** A step from mark to mark. */
export type Step = 'next' | 'previous' | 'first' | 'last' | 'below' | 'above';

/**
 * Number of the mark after a step: along the lane in order of time, or to the mark of the next lane that begins nearest to this
 * one. Without a current mark every step leads to the first. Undefined at the end. Skips folded lanes. Pure.
 */
export function walk(
  { lanes, marks }: Axis,
  from: number | undefined,
  step: Step,
  folded: ReadonlySet<string>,
): number | undefined {
  const isShown = (lane: number): boolean => !folded.has(lanes[lane]?.group ?? '');
  const inOrder = (lane: number): number[] =>
    marks
      .flatMap((mark, id) => (mark.lane === lane ? [id] : []))
      .toSorted((a, b) => (marks[a]?.startMs ?? 0) - (marks[b]?.startMs ?? 0) || a - b);
  const here = from === undefined ? undefined : marks[from];
  if (here === undefined || from === undefined)
    return inOrder(lanes.findIndex(({ rows }, lane) => isShown(lane) && rows.length > 0))[0];
  if (step === 'below' || step === 'above') {
    const by = step === 'below' ? 1 : -1;
    for (let lane = here.lane + by; lane >= 0 && lane < lanes.length; lane += by) {
      if (!isShown(lane)) continue;
      const distance = (id: number): number => Math.abs((marks[id]?.startMs ?? 0) - here.startMs);
      const [nearest] = inOrder(lane).toSorted((a, b) => distance(a) - distance(b));
      if (nearest !== undefined) return nearest;
    }
    return undefined;
  }
  const own = inOrder(here.lane);
  if (step === 'first') return own[0];
  if (step === 'last') return own.at(-1);
  return own[own.indexOf(from) + (step === 'next' ? 1 : -1)];
}
