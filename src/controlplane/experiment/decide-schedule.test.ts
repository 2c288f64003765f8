import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PlacedManifest, scheduleOrders } from './decide-schedule.ts';
import type { Manifest } from './manifest/read-manifest.ts';
import { cronOf, standaloneOf, workflowOf } from './testing/manifests.ts';

const CRON = cronOf(workflowOf());
const at = (infra: string, manifest: Manifest): PlacedManifest => ({ infra, manifest });

function inPlace(metadata: object): Manifest {
  const object: Manifest['object'] = {
    ...CRON.object,
    metadata: { ...(CRON.object.metadata as object), ...metadata },
  };
  return { ...CRON, name: (object.metadata as { name: string }).name, object };
}

const CASES: readonly [name: string, after: PlacedManifest | undefined, expected: string[]][] = [
  [
    'a change of the same schedule',
    at('a', cronOf(workflowOf(), '1 * * * *')),
    ['a update CronWorkflow shop'],
  ],
  ['another infrastructure', at('b', CRON), ['a delete CronWorkflow shop', 'b create CronWorkflow shop']],
  [
    'another name',
    at('a', inPlace({ name: 'web' })),
    ['a delete CronWorkflow shop', 'a create CronWorkflow web'],
  ],
  [
    'another namespace',
    at('a', inPlace({ namespace: 'x' })),
    ['a delete CronWorkflow shop', 'a create CronWorkflow shop'],
  ],
  [
    'another kind',
    at('a', standaloneOf('ChaosSchedule')),
    ['a delete CronWorkflow shop', 'a create ChaosSchedule shop'],
  ],
  ['no schedule any more', at('a', workflowOf()), ['a delete CronWorkflow shop']],
  ['its end', undefined, ['a delete CronWorkflow shop']],
];

for (const [name, after, expected] of CASES) {
  test(`agents get the orders for ${name}`, () => {
    const kind = after?.manifest.kind;
    const prepared = kind === 'CronWorkflow' || kind === 'ChaosSchedule' ? after?.manifest.object : undefined;
    const orders = scheduleOrders(at('a', CRON), after, prepared);
    const shown = orders.map(({ infra, order }) => {
      const object = JSON.parse(order.manifest);
      assert.equal(order.namespace, object.metadata.namespace);
      return `${infra} ${order.requestType} ${object.kind} ${object.metadata.name}`;
    });
    assert.deepEqual(shown, expected);
  });
}
