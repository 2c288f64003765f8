import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInKinds } from '@turnsole/cluster/apiserver/kinds/index';
import { selectableFields } from '@turnsole/kube/schema/selectable-fields';

test('probes may select by the fields that the API server offers, and are refused others before a run', () => {
  const offered = builtInKinds({} as never, {} as never).map(({ group, plural, fields }) => ({
    resource: `${group}/${plural}`,
    known: selectableFields(group, plural),
    fields: ['metadata.name', 'metadata.namespace', ...Object.keys(fields)],
  }));
  const known = offered.filter((one) => one.known !== undefined);
  for (const { resource, known: names, fields } of known) {
    assert.deepEqual([...(names ?? [])].sort(), fields.sort(), resource);
  }
  assert.equal(known.length, 19);
});
