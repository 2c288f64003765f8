/** A runner on a node that is not heard any more, with the verdict already in the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PODS } from '@turnsole/kube/kinds/resources';
import {
  engineOf,
  NAMESPACE,
  type Run,
  startStandIn,
  storeResult,
  untilAborted,
} from '../../../test/support/stand-in-cluster.ts';
import { CHAOS_RESULTS, LABEL_RUN_ID } from '../../api/index.ts';

/** The agent of the node has stopped: it does not report that the pod has ended, and the node controller marks the pod as not ready. */
const onDeadNode =
  (verdict: string): Run =>
  async (program) => {
    const { client, env, signal, pod } = program;
    await storeResult(program, 'Running', 'Awaited');
    const labels = { [LABEL_RUN_ID]: pod.metadata.labels?.[LABEL_RUN_ID] ?? '' };
    const place = { namespace: NAMESPACE };
    await client.patch(CHAOS_RESULTS, `web-${env.EXPERIMENT_NAME}`, 'merge', { metadata: { labels } }, place);
    if (verdict !== 'Awaited') await storeResult(program, 'Completed', verdict);
    const conditions = [{ type: 'Ready', status: 'False' }];
    const options = { ...place, subresource: 'status' } as const;
    await client.patch(PODS, 'web-runner', 'merge', { status: { conditions } }, options);
    await untilAborted(signal);
    return 1;
  };

for (const verdict of ['Error', 'Pass']) {
  test(`silent runner: the verdict ${verdict} of the result ends the run while the node is away`, async (context) => {
    const cluster = await startStandIn(context, { experiment: onDeadNode(verdict) });
    await cluster.experiment('pod-delete');
    await cluster.apply(engineOf('web', ['pod-delete']));
    const engine = await cluster.ended('web', 'completed');
    assert.deepEqual(
      engine.status?.experiments?.map((entry) => `${entry.status} ${entry.verdict}`),
      [`Completed ${verdict}`],
    );
    const last = engine.status?.timeline?.at(-1);
    assert.match(last?.message ?? '', /the runner's node does not answer/);
  });
}

test('silent runner: a run whose experiment has no verdict yet goes on', async (context) => {
  const cluster = await startStandIn(context, { experiment: onDeadNode('Awaited') });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  await cluster.podsWhen((pods) =>
    pods.some(({ status }) =>
      status?.conditions?.some(({ type, status: word }) => type === 'Ready' && word === 'False'),
    ),
  );
  const patch = { metadata: { annotations: { seen: 'true' } } };
  assert.equal((await cluster.patch('web', patch)).status?.engineStatus, 'initialized');
  await cluster.patch('web', { spec: { engineState: 'stop' } });
  assert.equal((await cluster.ended('web', 'stopped')).status?.experiments?.[0]?.verdict, 'Stopped');
});
