/** Engines that cannot be run: stopped with the path of the field, nothing launched, and they run once that is put right. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition } from '@turnsole/kube/kinds/conditions';
import { engineOf, startStandIn } from '../../../test/support/stand-in-cluster.ts';
import { type ChaosEngineSpec, CONDITION_RUNNABLE } from '../../api/index.ts';

const BAD: readonly [name: string, spec: Partial<ChaosEngineSpec>, field: RegExp][] = [
  ['selectors that name nothing', { selectors: {} }, /spec\.selectors: Required value/],
  [
    'selectors with empty lists',
    { selectors: { workloads: [], pods: [] } },
    /spec\.selectors: Required value/,
  ],
  [
    'a workload without names and labels',
    { selectors: { workloads: [{ kind: 'deployment', namespace: 'shop' }] } },
    /spec\.selectors\.workloads\[0\]\.names: Required value/,
  ],
  [
    'pods without a namespace',
    { selectors: { pods: [{ namespace: '', names: 'web-1' }] } },
    /spec\.selectors\.pods\[0\]\.namespace: Required value/,
  ],
  [
    'a kind without a label',
    { appinfo: { appkind: 'deployment' } },
    /spec\.appinfo\.applabel: Required value/,
  ],
  ['a label without a kind', { appinfo: { applabel: 'app=web' } }, /spec\.appinfo\.appkind: Required value/],
  [
    'auxiliary applications without a label',
    { auxiliaryAppInfo: 'shop' },
    /spec\.auxiliaryAppInfo: Invalid value/,
  ],
  [
    'annotationCheck that is no boolean',
    { annotationCheck: 'yes' },
    /spec\.annotationCheck: Unsupported value/,
  ],
  ['no experiment', { experiments: [] }, /spec\.experiments: Required value/],
  [
    'an experiment twice',
    { experiments: [{ name: 'pod-delete' }, { name: 'pod-delete' }] },
    /spec\.experiments\[1\]\.name: Duplicate value/,
  ],
  [
    'an image of the monitor with a blank at its end',
    { components: { monitor: { image: 'mine:1 ' } } },
    /spec\.components\.monitor\.image/,
  ],
];

test('bad specs are stopped with the path of the field, and run when they are put right', async (t) => {
  const cluster = await startStandIn(t);
  await cluster.experiment('pod-delete');
  for (const [index, [name, spec, field]] of BAD.entries()) {
    await t.test(name, async () => {
      const engine = `web-${index}`;
      await cluster.apply(engineOf(engine, ['pod-delete'], spec));
      const stopped = await cluster.ended(engine, 'stopped');
      const condition = findCondition(stopped.status?.conditions, CONDITION_RUNNABLE);
      assert.deepEqual([condition?.status, condition?.reason], ['False', 'SpecInvalid']);
      assert.match(condition?.message ?? '', field);
      assert.equal(stopped.metadata.finalizers, undefined);
      assert.equal(stopped.status?.experiments, undefined);
      const mine = (await cluster.pods()).filter(({ metadata }) => metadata.name === `${engine}-runner`);
      assert.deepEqual(mine, [], 'nothing is launched');
      const events = await cluster.events(engine, 'ChaosResourcesOperationFailed');
      assert.match(events.find((text) => text.includes('Failed')) ?? '', field);
    });
  }

  await t.test('put right and active again, it runs', async () => {
    await cluster.patch('web-4', { spec: { appinfo: { applabel: 'app=web' }, engineState: 'active' } });
    const engine = await cluster.ended('web-4', 'completed');
    assert.deepEqual(
      engine.status?.experiments?.map(({ verdict }) => verdict),
      ['Pass'],
    );
  });
});
