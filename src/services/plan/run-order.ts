import type { ChaosEngine } from '../../api/index.ts';
import { nextSteps, type Order, type Progress, planOrder } from '../../chaos/experiments/run-order.ts';

/** When one experiment starts and how long it lasts, in seconds from the start of the first, when nothing is slow. */
export interface OrderStep {
  readonly experiment: string;
  /** Number of the iteration, from 1. */
  readonly iteration: number;
  readonly startsAtSeconds: number;
  readonly takesSeconds: number;
}

/** How the experiments of an engine follow each other. */
export interface RunOrder {
  readonly order: 'sequential' | 'parallel' | 'random';
  /** False for a random order without a seed: it is drawn anew for each run, and this is one of many. */
  readonly isFixed: boolean;
  readonly steps: readonly OrderStep[];
  /** Until the last one ends. */
  readonly expectedSeconds: number;
}

/**
 * Plays the order of a run through, as the runner would, with the times that the experiments take at least. Every experiment is
 * taken to pass. Pure.
 */
export function planRunOrder(
  engine: Pick<ChaosEngine, 'spec'>,
  secondsOf: (experiment: string) => number,
): RunOrder {
  const { execution } = engine.spec;
  const names = engine.spec.experiments.map(({ name }) => name);
  const order = execution?.order ?? 'sequential';
  const steps = play(planOrder(names, engine, 'plan'), secondsOf);
  return {
    order,
    isFixed: order !== 'random' || execution?.seed !== undefined,
    steps,
    expectedSeconds: Math.max(0, ...steps.map((step) => step.startsAtSeconds + step.takesSeconds)),
  };
}

function play(order: Order, secondsOf: (experiment: string) => number): OrderStep[] {
  const { items } = order;
  const progress: Progress[] = items.map(() => ({ state: 'waiting' }));
  const endsAt = new Map<number, number>();
  const steps: OrderStep[] = [];
  let nowMs = 0;
  let iterationStartedMs: number | undefined;
  let iteration = 0;
  for (;;) {
    const { start, skip, waitMs } = nextSteps(order, progress, { nowMs, iterationStartedMs });
    for (const index of start) {
      const item = items[index];
      if (item === undefined) continue;
      if (item.iteration !== iteration) {
        iteration = item.iteration;
        iterationStartedMs = nowMs;
      }
      const takesSeconds = secondsOf(item.name);
      progress[index] = { state: 'running' };
      endsAt.set(index, nowMs + takesSeconds * 1000);
      steps.push({ experiment: item.name, iteration, startsAtSeconds: nowMs / 1000, takesSeconds });
    }
    for (const { index } of skip) progress[index] = { state: 'ended', verdict: 'N/A' };
    if (endsAt.size === 0) {
      if (waitMs === undefined) return steps;
      nowMs += waitMs;
      continue;
    }
    const [next = 0, atMs = nowMs] = [...endsAt].reduce((first, other) =>
      other[1] < first[1] ? other : first,
    );
    endsAt.delete(next);
    nowMs = atMs;
    progress[next] = { state: 'ended', verdict: 'Pass' };
  }
}
