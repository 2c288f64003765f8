import assert from 'node:assert/strict';
import { test } from 'node:test';
import { projectScope } from '../store/store.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { serverMetrics } from './server-metrics.ts';

describeOnDatabases('the page of metrics', (database) => {
  test('shows experiments and runs as they are in the tables, each time it is asked for', async () => {
    const store = await database.store();
    const made = { created_at: 1, updated_at: 1, created_by: 'a', updated_by: 'a' };
    const experiment = (id: string, last_phase: string, total_runs: number) => ({
      ...{ project_id: 'p', id, infra_id: 'i', name: `name of ${id}`, description: '', tags: '[]' },
      ...{
        type: 'experiment' as const,
        cron_syntax: '',
        custom: 0 as const,
        revision_id: 'r',
        scheduled: 0 as const,
      },
      ...{ completed_runs: 0, score_sum: 0, last_run_at: null, removed: 0 as const, ...made },
      ...{ last_phase, total_runs },
    });
    await store.transaction(projectScope('p'), (tx) =>
      tx.db
        .insertInto('experiments')
        .values([experiment('a', 'Running', 3), experiment('b', '', 0)])
        .execute(),
    );
    const { page } = serverMetrics(store);
    const lines = async (): Promise<readonly string[]> =>
      (await page()).body
        .split('\n')
        .filter((line) => /^litmus_experiment/.test(line))
        .toSorted();

    const named = (id: string): string =>
      `project_id="p",experiment_id="${id}",experiment_name="name of ${id}",infra_id="i"`;
    const expected = [
      'litmus_experiments_total{project_id="p",status="NA",infra_id="i"} 1',
      'litmus_experiments_total{project_id="p",status="Running",infra_id="i"} 1',
      `litmus_experiment_runs_total{${named('a')}} 3`,
      `litmus_experiment_runs_total{${named('b')}} 0`,
      `litmus_experiment_status{${named('a')},status="Running"} 1`,
      `litmus_experiment_status{${named('b')},status="NA"} 1`,
    ].toSorted();
    assert.deepEqual(await lines(), expected);
    assert.deepEqual(await lines(), expected);

    await store.transaction(projectScope('p'), (tx) => tx.db.deleteFrom('experiments').execute());
    assert.deepEqual(await lines(), []);
  });
});
