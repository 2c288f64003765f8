import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../injection/testing/builders.ts';
import { formatPermissions, permissionsOf } from './permissions.ts';

/** What a run with a target in namespace shop asks of pods/eviction and nodes, as people read it. */
function asked(everywhere: true | undefined): string {
  const permissions = [{ apiGroups: [''], resources: ['pods/eviction', 'nodes'], verbs: ['patch'] }];
  const fault = {
    targets: 'node' as const,
    permissions,
    ...(everywhere === undefined ? {} : { everywhere }),
  };
  const { settings } = compile({ CHAOS_NAMESPACE: 'chaos', TARGETS: 'deployment:shop:[app=web]' });
  return formatPermissions(
    permissionsOf(fault, settings).filter(({ verb, group }) => group === '' && verb === 'patch'),
  );
}

test('a fault asks in the namespaces of engine and targets, for nodes in the cluster', () => {
  const text = asked(undefined);
  assert.match(text, /patch pods\/eviction in namespace chaos, patch nodes in the cluster/);
  assert.match(text, /patch pods\/eviction in namespace shop/);
});

test('a fault that acts everywhere asks in all namespaces', () => {
  assert.match(asked(true), /patch pods\/eviction in all namespaces, patch nodes in the cluster/);
  assert.doesNotMatch(asked(true), /eviction in namespace/);
});
