/** Runs by the thousand, in a cluster and on a server. */
import type { KubeClient } from '@turnsole/kube/client/types';
import { CHAOS_ENGINES, type ChaosEngine } from '../../src/api/index.ts';
import type { Scene } from '../../src/controlplane/experiment/testing/scene.ts';
import { projectScope } from '../../src/controlplane/store/store.ts';

/** Engines and runs that are made at once. */
const [ENGINES_TOGETHER, RUNS_TOGETHER] = [50, 500];

/** Creates the engines `chaos-…` from one number to another. */
export async function makeEngines(client: KubeClient, from: number, to: number): Promise<void> {
  const spec = {
    ...{ engineState: 'stop', chaosServiceAccount: 'litmus' },
    experiments: [{ name: 'pod-delete' }],
  };
  for (const numbers of pieces(from, to, ENGINES_TOGETHER))
    await Promise.all(
      numbers.map((number) =>
        client.create<ChaosEngine>(CHAOS_ENGINES, { metadata: { name: `chaos-${number}` }, spec } as never, {
          namespace: 'default',
        }),
      ),
    );
}

/** Copies the newest run of a scene, from one number to another. */
export async function addRuns({ server, project }: Scene, from: number, to: number): Promise<void> {
  const { store } = server.plane;
  const newest = store.read.selectFrom('runs').selectAll().where('project_id', '=', project);
  const last = await newest.orderBy('sequence', 'desc').executeTakeFirstOrThrow();
  for (const numbers of pieces(from, to, RUNS_TOGETHER)) {
    const rows = numbers.map((number) => {
      const id = `copy-${number}`;
      return { ...last, key: id, run_id: id, notify_id: id, sequence: last.sequence + 1 + number - from };
    });
    await store.transaction(projectScope(project), async ({ db }) => {
      await db.insertInto('runs').values(rows).execute();
      // The newest runs of an experiment are found by the number of all.
      const total_runs = rows.at(-1)?.sequence ?? last.sequence;
      await db
        .updateTable('experiments')
        .set({ total_runs })
        .where('id', '=', last.experiment_id)
        .where('project_id', '=', project)
        .execute();
    });
  }
}

/** The numbers from one to before another, some at a time. */
function* pieces(from: number, to: number, size: number): Generator<readonly number[]> {
  for (let next = from; next < to; next += size)
    yield Array.from({ length: Math.min(size, to - next) }, (_, index) => next + index);
}
