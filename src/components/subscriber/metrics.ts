import { createMetrics, type Metrics } from '../../process/metrics.ts';
import type { Spool } from '../../spool/spool.ts';

/** The figures of a subscriber. */
export interface SubscriberMetrics {
  readonly apiCalls: ReturnType<Metrics['apiCalls']>;
  readonly event: (verdict: string) => void;
  readonly lost: (reason: string) => void;
  readonly action: (type: string, isDone: boolean) => void;
  readonly connected: (isConnected: boolean) => void;
  /** The page for Prometheus. */
  readonly page: (spool: Spool | undefined) => ReturnType<Metrics['page']>;
}

/** Makes the metrics of a process. */
export function subscriberMetrics(): SubscriberMetrics {
  const metrics = createMetrics();
  const events = metrics.counter(
    'turnsole_subscriber_events_total',
    'Answers of the control plane to events of runs, by what became of them.',
    ['outcome'],
  );
  const lost = metrics.counter(
    'turnsole_subscriber_events_lost_total',
    'Events that will not be delivered, by reason; the last state of a run is never dropped.',
    ['reason'],
  );
  const actions = metrics.counter('turnsole_subscriber_actions_total', 'Actions of the control plane.', [
    'type',
    'outcome',
  ]);
  const link = metrics.gauge('turnsole_subscriber_connected', 'Whether the control plane is connected.');
  const bytes = metrics.gauge('turnsole_subscriber_spool_bytes', 'Bytes of events that wait.');
  const waiting = metrics.gauge('turnsole_subscriber_spool_events', 'Events that wait.');
  return {
    apiCalls: metrics.apiCalls(),
    event: (outcome) => events.inc({ outcome }),
    lost: (reason) => lost.inc({ reason }),
    action: (type, isDone) => actions.inc({ type, outcome: isDone ? 'done' : 'refused' }),
    connected: (isConnected) => link.set(isConnected ? 1 : 0),
    page: (spool) => {
      bytes.set(spool?.bytes ?? 0);
      waiting.set(spool?.size ?? 0);
      return metrics.page();
    },
  };
}
