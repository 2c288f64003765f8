import type { AxisMark } from '../timeline/axis.ts';
import type { Kind } from '../timeline/kinds.ts';

/** A range of a run, in milliseconds since its start. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The range of a mark. */
export function spanOf({ startMs, endMs }: AxisMark): Span {
  return { fromMs: startMs, toMs: endMs };
}

/** What is known of one target of a fault. */
export interface Target {
  /** As its lane is called: `pod shop/web-1`. */
  readonly name: string;
  /** When it was hit: as long as the fault was in force, else until the next that became of it. */
  readonly hits: readonly Span[];
  /** When its pod was seen, and not ready. */
  readonly unready: readonly Span[];
  /** When its pod was gone, or had ended. */
  readonly gone: readonly Span[];
  /** When it was first hit or seen. */
  readonly firstMs: number;
}

const HITS: readonly Kind[] = ['injected', 'ineffective', 'open'];
/** For how long a hit is shown after which nothing is known to have happened, in milliseconds. */
const SHORT_MS = 1000;

/** A target, by the marks of its lane and those of its pod's lane, both in order of time. Pure. */
export function targetOf(name: string, marks: readonly AxisMark[], pod: readonly AxisMark[]): Target {
  const states = pod.filter(({ startMs, endMs }) => endMs > startMs);
  const unready = states.filter(({ kind }) => kind === 'unready').map(spanOf);
  const recovered = marks.filter(({ kind }) => kind === 'recovered').map(({ startMs }) => startMs);
  // A point of the pod's lane at which it is in no state is its end; at others it was restarted.
  const gone = pod
    .filter(
      (mark) => mark.startMs === mark.endMs && !states.some((state) => covers(spanOf(state), mark.startMs)),
    )
    .map(({ startMs }): Span => {
      const next = [...states.map((state) => state.startMs), ...recovered].filter((ms) => ms > startMs);
      return { fromMs: startMs, toMs: Math.min(...next, Number.POSITIVE_INFINITY) };
    });
  const changes = [...unready.map(({ fromMs }) => fromMs), ...gone.map(({ fromMs }) => fromMs), ...recovered];
  const hits = marks
    .filter(({ kind }) => HITS.includes(kind))
    .map((mark): Span => {
      if (mark.endMs > mark.startMs) return spanOf(mark);
      const next = changes.filter((ms) => ms >= mark.startMs);
      return { fromMs: mark.startMs, toMs: next.length === 0 ? mark.startMs + SHORT_MS : Math.min(...next) };
    });
  const firstMs = Math.min(...[...marks, ...pod].map(({ startMs }) => startMs));
  return { name, hits, unready, gone, firstMs };
}

/** Whether a moment is in a range. */
export function covers({ fromMs, toMs }: Span, atMs: number): boolean {
  return fromMs <= atMs && atMs < toMs;
}

/**
 * Targets in the places of their box, in the order in which they came: each takes an empty place, else the place of the one that came first, for
 * which it stands. Pure.
 */
export function placeInSlots(targets: readonly Target[], places: number): Target[][] {
  const slots = Array.from({ length: Math.max(1, places) }, (): Target[] => []);
  for (const [index, target] of targets.toSorted((a, b) => a.firstMs - b.firstMs).entries())
    slots[index % slots.length]?.push(target);
  return slots;
}
