import type { Metrics } from '../../process/metrics.ts';
import type { Store } from '../store/store.ts';

/** Upstream's word for an experiment that was never run. */
const NEVER_RUN = 'NA';

/**
 * Upstream's series of experiments, read from the tables for each page: what is deleted is not in it, and a restart loses nothing. A status
 * is 1 for the phase that the newest run is in, and has no other series.
 *
 * @returns brings them up to date
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
  return async () => {
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
