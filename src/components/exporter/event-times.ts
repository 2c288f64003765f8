import type { CoreEvent, KubeObject } from '@turnsole/kube/kinds/core';
import { eventNames } from '../../chaos/event-names.ts';

/** When the steps of an experiment were, in seconds since 1970; 0 where that is not known. */
export interface ExperimentTimes {
  readonly start: number;
  readonly injected: number;
  readonly end: number;
}

/** Reasons of the Events that carry the times (compatibility reference of the exporter, section 3.2). */
const REASONS = { start: 'ExperimentDependencyCheck', injected: 'ChaosInject', end: 'Summary' } as const;

/** The reasons of all Events that are read. */
export const EVENT_REASONS: readonly string[] = Object.values(REASONS);

/**
 * The times of one experiment by the Events on its engine. Runner and experiments name an Event by reason, experiment and engine,
 * which separates the experiments of one engine. Other programs name their Events differently; where no Event bears such a name, all
 * Events with the reason count. Pure.
 */
export function experimentTimes(
  engine: KubeObject,
  experiment: string,
  events: readonly CoreEvent[],
): ExperimentTimes {
  const latest = (reason: string): number => {
    const ofReason = events.filter((event) => event.reason === reason);
    const name = eventNames.ofExperiment(reason, experiment, engine.metadata.uid ?? '');
    const own = ofReason.filter(({ metadata }) => metadata.name === name);
    return Math.max(0, ...(own.length > 0 ? own : ofReason).map(secondsOf));
  };
  return { start: latest(REASONS.start), injected: latest(REASONS.injected), end: latest(REASONS.end) };
}

function secondsOf({ lastTimestamp }: CoreEvent): number {
  const ms = Date.parse(String(lastTimestamp ?? ''));
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}

/** The later of both, step by step: Events are dropped after an hour, what was known stays known. Pure. */
export function laterTimes(a: ExperimentTimes, b: ExperimentTimes): ExperimentTimes {
  return {
    start: Math.max(a.start, b.start),
    injected: Math.max(a.injected, b.injected),
    end: Math.max(a.end, b.end),
  };
}
