import { createMetrics, type Metrics } from '../../process/metrics.ts';

/** The figures of an event tracker. */
export interface EventTrackerMetrics {
  readonly apiCalls: ReturnType<Metrics['apiCalls']>;
  readonly controller: Metrics['controller'];
  readonly triggered: (count: number) => void;
  readonly outcome: (outcome: string) => void;
  /** The page for Prometheus. @param pending triggers that wait */
  readonly page: (pending: number) => ReturnType<Metrics['page']>;
}

/** Makes the metrics of a process. */
export function eventTrackerMetrics(): EventTrackerMetrics {
  const metrics = createMetrics();
  const triggers = metrics.counter(
    'turnsole_event_tracker_triggers_total',
    'Changes that triggered, as stored.',
  );
  const attempts = metrics.counter(
    'turnsole_event_tracker_attempts_total',
    'Attempts to hand over a trigger, by what became of them.',
    ['outcome'],
  );
  const waiting = metrics.gauge(
    'turnsole_event_tracker_pending_triggers',
    'Triggers that wait to be handed over.',
  );
  return {
    apiCalls: metrics.apiCalls(),
    controller: metrics.controller,
    triggered: (count) => triggers.inc({}, count),
    outcome: (outcome) => attempts.inc({ outcome: outcome.toLowerCase() }),
    page: (pending) => {
      waiting.set(pending);
      return metrics.page();
    },
  };
}
