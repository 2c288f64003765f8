/** The operator on an installed definition that does not know our settings and drops some of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '@turnsole/kube/kinds/resources';
import { engineOf, startStandIn } from '../../../test/support/stand-in-cluster.ts';
import { ANNOTATION_LAST_APPLIED } from '../../chaos/run-record.ts';
import { lackingSettings, storesField } from '../../engines/lacking-settings.ts';

for (const [what, schema, path, stored] of [
  ['a defined field', { properties: { a: {} } }, ['a'], true],
  ['an unknown field', { properties: { a: {} } }, ['b'], false],
  [
    'an unknown field that is kept',
    { properties: { a: {} }, 'x-kubernetes-preserve-unknown-fields': true },
    ['b'],
    true,
  ],
  [
    'a field below one that has properties of its own',
    { properties: { a: { properties: {} } }, 'x-kubernetes-preserve-unknown-fields': true },
    ['a', 'b'],
    false,
  ],
  ['a field of an item', { items: { properties: { a: {} } } }, ['[]', 'a'], true],
] as const) {
  test(`definition: ${what} is ${stored ? 'stored' : 'pruned'}`, () => {
    assert.equal(storesField(schema, path), stored);
  });
}

test('operator: an engine with a setting that the installed definition drops is refused, with advice', async (context) => {
  const cluster = await startStandIn(context);
  const { client } = cluster;
  assert.deepEqual(await lackingSettings(client), []);
  type Definition = KubeObject & { spec: { versions: { schema: { openAPIV3Schema: unknown } }[] } };
  const name = 'chaosengines.litmuschaos.io';
  const definition = await client.get<Definition>(CUSTOM_RESOURCE_DEFINITIONS, name);
  // Upstream's items have properties of their own, and keep nothing else.
  const items = itemsOf(definition.spec.versions[0]?.schema.openAPIV3Schema);
  delete items.properties.dependsOn;
  delete items['x-kubernetes-preserve-unknown-fields'];
  await client.update(CUSTOM_RESOURCE_DEFINITIONS, definition);
  assert.deepEqual(await lackingSettings(client), ['spec.experiments[].dependsOn']);
  await cluster.experiment('a');
  const wanted = engineOf('web', ['a']);
  const experiments = [{ name: 'a', dependsOn: ['b'] }];
  const annotations = { [ANNOTATION_LAST_APPLIED]: JSON.stringify({ spec: { experiments } }) };
  await cluster.apply({ ...wanted, metadata: { ...wanted.metadata, annotations } });
  const engine = await cluster.ended('web', 'stopped');
  const condition = engine.status?.conditions?.find(({ type }) => type === 'Runnable');
  assert.match(
    condition?.message ?? '',
    /too old and drops spec\.experiments\[\]\.dependsOn.*turnsole install/,
  );
  assert.deepEqual(await cluster.jobs(), []);
  // What was not asked for is not missed.
  await cluster.apply(engineOf('plain', ['a']));
  await cluster.ended('plain', 'completed');
});

interface Items {
  readonly properties: { dependsOn?: unknown };
  'x-kubernetes-preserve-unknown-fields'?: boolean;
}

function itemsOf(schema: unknown): Items {
  const engine = schema as { properties: { spec: { properties: { experiments: { items: Items } } } } };
  return engine.properties.spec.properties.experiments.items;
}
