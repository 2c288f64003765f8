/** Engines at rest, of which the operator's local copy keeps only a part: what is done to them leaves the rest as it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import {
  endlessExperiment,
  engineOf,
  NAMESPACE,
  startStandIn,
} from '../../../test/support/stand-in-cluster.ts';
import { type ChaosEngine, ENGINE_FINALIZER } from '../../api/index.ts';

const steps = ({ status }: ChaosEngine): string[] => (status?.timeline ?? []).map(({ step }) => step);

test('engine at rest: a restart goes on with its timeline and spec', async (context) => {
  const cluster = await startStandIn(context);
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  const first = await cluster.ended('web', 'completed');
  await cluster.patch('web', { spec: { engineState: 'active' } });
  const second = await cluster.engine(
    'web',
    ({ status }) => status?.runId !== first.status?.runId && status?.engineStatus === 'completed',
  );
  assert.deepEqual(steps(second).slice(0, steps(first).length), steps(first));
  assert.ok(steps(second).includes('EngineRestarted'));
  assert.deepEqual(second.spec.experiments, first.spec.experiments);
});

test('engine at rest: leftovers and the finalizer of a stopped engine go, and its status stays', async (context) => {
  const cluster = await startStandIn(context, { experiment: endlessExperiment });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  await cluster.engine('web', ({ status }) => status?.experiments?.[0]?.status === 'Running');
  await cluster.patch('web', { spec: { engineState: 'stop' } });
  const stopped = await cluster.ended('web', 'stopped');
  const late = {
    metadata: { name: 'late', namespace: NAMESPACE, labels: { chaosUID: stopped.metadata.uid ?? '' } },
    spec: { containers: [{ name: 'c', image: 'x' }] },
  };
  await cluster.client.create<Pod>(PODS, late, { namespace: NAMESPACE });
  await cluster.podsWhen((pods) => !pods.some(({ metadata }) => metadata.name === 'late'));
  await cluster.patch('web', { metadata: { finalizers: [ENGINE_FINALIZER] } });
  const after = await cluster.engine('web', ({ metadata }) => metadata.finalizers === undefined);
  assert.deepEqual(steps(after).slice(0, steps(stopped).length), steps(stopped));
  assert.deepEqual(after.status?.experiments, stopped.status?.experiments);
  assert.deepEqual(after.spec.experiments, stopped.spec.experiments);
});
