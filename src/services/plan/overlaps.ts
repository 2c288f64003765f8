import { objectOf } from '../../experiment/injection/ledger/ledger-steps.ts';
import type { ExperimentPlan } from '../../experiment/plan/experiment-plan.ts';
import type { OrderStep, RunOrder } from './run-order.ts';

/**
 * Experiments of one engine that run at the same time and hit the same target, in words. The targets are those of the first
 * round; a percentage chooses anew each time. Pure.
 */
export function overlaps(
  { steps }: RunOrder,
  plans: readonly Pick<ExperimentPlan, 'experiment' | 'targets'>[],
): string[] {
  const found = new Set<string>();
  for (const [index, first] of steps.entries()) {
    for (const second of steps.slice(index + 1)) {
      if (!areAtOnce(first, second)) continue;
      const shared = sharedTargets(first.experiment, second.experiment, plans);
      if (shared.length === 0) continue;
      found.add(
        `${first.experiment} and ${second.experiment} would hit ${shared.join(', ')} at the same time`,
      );
    }
  }
  return [...found];
}

function areAtOnce(a: OrderStep, b: OrderStep): boolean {
  if (a.experiment === b.experiment) return false;
  const [early, late] = a.startsAtSeconds <= b.startsAtSeconds ? [a, b] : [b, a];
  return late.startsAtSeconds < early.startsAtSeconds + early.takesSeconds;
}

function sharedTargets(
  a: string,
  b: string,
  plans: readonly Pick<ExperimentPlan, 'experiment' | 'targets'>[],
): string[] {
  const of = (name: string): string[] =>
    plans.filter(({ experiment }) => experiment === name).flatMap(({ targets }) => targets.map(objectOf));
  const others = new Set(of(b));
  return [...new Set(of(a))].filter((object) => others.has(object));
}
