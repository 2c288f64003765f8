import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { Scene } from '../experiment/testing/scene.ts';
import { executionText } from '../run/testing/execution.ts';
import { openStore } from '../store/open.ts';
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
        .filter((line) => line.startsWith('litmus_experiment'))
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

  test('shows how long runs took, by their ends, after a restart as before', async () => {
    const scene = await Scene.start(database);
    await scene.save('shop');
    const { store } = scene.server.plane;
    const lines = async (of = store): Promise<readonly string[]> =>
      (await serverMetrics(of).page()).body
        .split('\n')
        .filter((line) => line.startsWith('litmus_experiment_run_duration_seconds'));
    assert.deepEqual(await lines(), []);
    for (const runID of ['one', 'two', 'three']) {
      const event = { experimentID: 'shop', runID, notifyID: await scene.run('shop') };
      await scene.report(event);
      if (runID === 'three') continue;
      const end = {
        ...event,
        text: executionText([], { phase: 'Completed', finishedAt: '9' }),
        completed: true,
      };
      await scene.report(end);
      // Once more: agents that are not answered say it again.
      await scene.report(end);
    }
    const labels = `project_id="${scene.project}",experiment_id="shop",experiment_name="shop",infra_id="${scene.agent.infraID}"`;
    const found = await lines();
    assert.equal(found[0], `litmus_experiment_run_duration_seconds_bucket{le="30",${labels}} 2`);
    assert.equal(found[9], `litmus_experiment_run_duration_seconds_bucket{le="+Inf",${labels}} 2`);
    assert.match(found[10] ?? '', /_sum\{.*\} \d/);
    assert.equal(found[11], `litmus_experiment_run_duration_seconds_count{${labels}} 2`);

    await scene.server.stop();
    const again = await openStore(scene.server.location, { clock: systemClock });
    try {
      assert.deepEqual(await lines(again), found);
      await again.transaction(projectScope(scene.project), (tx) =>
        tx.db.updateTable('experiments').set({ removed: 1 }).execute(),
      );
      assert.deepEqual(await lines(again), []);
    } finally {
      await again.close();
    }
  });
});
