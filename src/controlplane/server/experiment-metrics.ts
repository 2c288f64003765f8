import type { Metrics, StoredObservations } from '../../process/metrics.ts';
import { DURATION_BOUNDS, INFINITE } from '../run/durations.ts';
import type { Store } from '../store/store.ts';

/** Upstream's status of an experiment that has never run. */
const NEVER_RUN = 'NA';

/**
 * Upstream's series of experiments, read from the tables at each scrape: they leave out deleted objects, and survive a restart. A status
 * is 1 for the phase of the newest run, and has no other series.
 *
 * @returns updates them
 */
export function experimentMetrics(metrics: Metrics, { read }: Pick<Store, 'read'>): () => Promise<void> {
  const labels = ['project_id', 'experiment_id', 'experiment_name', 'infra_id'];
  const experiments = metrics.gauge(
    'litmus_experiments_total',
    'Experiments by the phase of their newest run.',
    ['project_id', 'status', 'infra_id'],
  );
  const runs = metrics.counter('litmus_experiment_runs_total', 'Runs that an experiment has had.', labels);
  const status = metrics.gauge('litmus_experiment_status', 'Phase of the newest run of an experiment.', [
    ...labels,
    'status',
  ]);
  const durations = metrics.storedHistogram(
    'litmus_experiment_run_duration_seconds',
    'Time from the order of a run to its end.',
    DURATION_BOUNDS,
  );
  return async () => {
    durations.set(await readDurations(read));
    const rows = await read
      .selectFrom('experiments')
      .select(['project_id', 'id', 'name', 'infra_id', 'last_phase', 'total_runs'])
      .where('removed', '=', 0)
      .execute();
    for (const series of [experiments, runs, status]) series.reset();
    for (const { project_id, id, name, infra_id, last_phase, total_runs } of rows) {
      const phase = last_phase === '' ? NEVER_RUN : last_phase;
      const named = { project_id, experiment_id: id, experiment_name: name, infra_id };
      experiments.add(1, { project_id, status: phase, infra_id });
      runs.inc(named, total_runs);
      status.set(1, { ...named, status: phase });
    }
  };
}

const BUCKETS = [...DURATION_BOUNDS.map(String), INFINITE];

/** A few rows per experiment, whatever the number of its runs. */
async function readDurations(read: Store['read']): Promise<StoredObservations[]> {
  const rows = await read
    .selectFrom('run_durations as took')
    .innerJoin('experiments', (join) =>
      join
        .onRef('experiments.project_id', '=', 'took.project_id')
        .onRef('experiments.id', '=', 'took.experiment_id'),
    )
    .select(['took.project_id', 'took.experiment_id', 'took.infra_id', 'le', 'runs', 'seconds', 'name'])
    .where('removed', '=', 0)
    .execute();
  const found = new Map<string, { labels: StoredObservations['labels']; counts: number[]; sum: number }>();
  for (const { project_id, experiment_id, infra_id, name, le, runs, seconds } of rows) {
    const labels = { project_id, experiment_id, experiment_name: name, infra_id };
    const key = JSON.stringify(labels);
    const known = found.get(key) ?? { labels, counts: BUCKETS.map(() => 0), sum: 0 };
    // Counts a former bound for the next existing one.
    const index = BUCKETS.findIndex((bound) => bound === INFINITE || Number(le) <= Number(bound));
    known.counts[index] = (known.counts[index] ?? 0) + runs;
    known.sum += seconds;
    found.set(key, known);
  }
  return [...found.values()];
}
