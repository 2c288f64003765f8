import { CHAOS_STARTED, EXPERIMENT_STARTED, VERDICT_STEP } from '../../../api/index.ts';
import type { ExperimentTimes } from '../event-times.ts';
import { listOf, membersOf, timeOf } from '../lenient.ts';

/**
 * When the latest steps of an experiment were by the timeline of its result, in whole seconds since 1970; 0 where it does not say.
 * Unlike Events, which Kubernetes drops after an hour, it is there for as long as the result. Pure.
 */
export function stepTimes(timeline: unknown): ExperimentTimes {
  const times = { start: 0, injected: 0, end: 0 };
  for (const entry of listOf(timeline)) {
    const { step, time, actor } = membersOf(entry);
    const what = typeof step === 'string' ? STEPS.get(step) : undefined;
    if (what === undefined || typeof actor !== 'string' || !actor.startsWith('experiment/')) continue;
    const seconds = Math.floor((timeOf(time) ?? 0) / 1000);
    times[what] = Math.max(times[what], seconds);
  }
  return times;
}

const STEPS = new Map<string, keyof ExperimentTimes>([
  [EXPERIMENT_STARTED, 'start'],
  [CHAOS_STARTED, 'injected'],
  [VERDICT_STEP, 'end'],
]);
