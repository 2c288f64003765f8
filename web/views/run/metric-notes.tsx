import type { ReactElement } from 'react';
import { Button } from '../../parts/button/button.tsx';
import type { ShownMetrics } from './use-metrics.ts';

/** Notes below the time axis about metrics without a lane, and why. */
export function MetricNotes({
  metrics,
  isBeyond,
}: {
  readonly metrics: ShownMetrics;
  /** Whether there are metrics before or after the run, which the axis shows when the reader zooms out. */
  readonly isBeyond: boolean;
}): ReactElement {
  const { lanes, notes, problem, isAsking, again } = metrics;
  return (
    <section className="metric-notes hint" aria-label="Metrics">
      {isAsking ? (
        <p role="status">The agent of the infrastructure asks its Prometheus for metrics.</p>
      ) : null}
      {problem === undefined ? null : (
        <p role="status">
          {lanes.length === 0 ? 'There are no metrics' : 'The metrics are not up to date'}: {problem}{' '}
          <Button look="link" label="Ask again" onClick={again} />
        </p>
      )}
      {notes.length === 0 ? null : (
        <ul>
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {isBeyond ? <p>Metrics reach beyond the run: zoom out to see what was before and after it.</p> : null}
    </section>
  );
}
