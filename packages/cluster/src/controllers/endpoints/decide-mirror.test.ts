import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoints } from '@turnsole/kube/kinds/core';
import type { EndpointSlice } from '../shared/types.ts';
import { decideMirror, isMirrored } from './decide-mirror.ts';

const ENDPOINTS: Endpoints = {
  metadata: {
    name: 'db',
    namespace: 'default',
    uid: 'u',
    labels: { tier: 'back' },
    annotations: { note: 'n' },
  },
  subsets: [
    {
      addresses: [{ ip: '192.0.2.1', hostname: 'one' }, { ip: '2001:db8::1' }],
      notReadyAddresses: [{ ip: '192.0.2.2' }],
      ports: [{ name: 'db', port: 5432 }],
    },
  ],
};

function stored(slice: object, name: string): EndpointSlice {
  // A slice that is to be created differs from a stored one by its name only.
  return { ...slice, metadata: { ...(slice as EndpointSlice).metadata, name } } as EndpointSlice;
}

test('a slice for each address family, with what Endpoints say of addresses and ports', () => {
  const { create, update, delete: gone } = decideMirror(ENDPOINTS, []);
  assert.deepEqual([update, gone], [[], []]);
  assert.deepEqual(
    create.map(({ addressType, endpoints, ports }) => ({ addressType, endpoints, ports })),
    [
      {
        addressType: 'IPv4',
        endpoints: [
          { addresses: ['192.0.2.1'], conditions: { ready: true }, hostname: 'one' },
          { addresses: ['192.0.2.2'], conditions: { ready: false } },
        ],
        ports: [{ name: 'db', protocol: 'TCP', port: 5432 }],
      },
      {
        addressType: 'IPv6',
        endpoints: [{ addresses: ['2001:db8::1'], conditions: { ready: true } }],
        ports: [{ name: 'db', protocol: 'TCP', port: 5432 }],
      },
    ],
  );
  assert.deepEqual(create[0]?.metadata.labels, {
    tier: 'back',
    'kubernetes.io/service-name': 'db',
    'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
  });
  assert.deepEqual(create[0]?.metadata.annotations, { note: 'n' });
});

test('nothing to do when slices are right; a slice is changed in place; what is left over goes', () => {
  const present = decideMirror(ENDPOINTS, []).create.map((slice, index) => stored(slice, `db-${index}`));
  assert.deepEqual(decideMirror(ENDPOINTS, present), { create: [], update: [], delete: [] });
  const changed = { ...ENDPOINTS, subsets: [{ addresses: [{ ip: '192.0.2.9' }], ports: [{ port: 1 }] }] };
  const plan = decideMirror(changed, present);
  assert.deepEqual(plan.create, []);
  assert.deepEqual(
    plan.update.map(({ metadata, ports }) => [metadata.name, ports]),
    [['db-0', [{ name: '', protocol: 'TCP', port: 1 }]]],
  );
  assert.deepEqual(
    plan.delete.map(({ metadata }) => metadata.name),
    ['db-1'],
  );
});

test('Endpoints that ask not to be repeated, or were a lock, are not', () => {
  const metadata = { name: 'db' };
  assert.equal(isMirrored({ metadata }), true);
  assert.equal(
    isMirrored({ metadata: { ...metadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } } }),
    false,
  );
  assert.equal(
    isMirrored({
      metadata: { ...metadata, annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } },
    }),
    false,
  );
});
