import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Pod, Service } from '@turnsole/kube/kinds/core';
import type { EndpointSlice } from '../shared/types.ts';
import { at, node, type PodOptions, pod } from '../testing/builders.ts';
import { decideEndpoints } from './decide-endpoints.ts';
import { decideSlices } from './decide-slices.ts';

function service(spec: Partial<NonNullable<Service['spec']>> = {}): Service {
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'uid-web', labels: { tier: 'front' } },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }], ...spec },
  };
}

function member(name: string, ip: string, options: PodOptions = {}): Pod {
  return pod(name, { ip, node: 'n1', ...options });
}

function addresses(spec: Partial<NonNullable<Service['spec']>>, pods: readonly Pod[]) {
  const subsets = decideEndpoints(service(spec), pods, undefined)?.subsets ?? [];
  return subsets.map((subset) => ({
    ready: (subset.addresses ?? []).map(({ ip }) => ip),
    notReady: (subset.notReadyAddresses ?? []).map(({ ip }) => ip),
    ports: (subset.ports ?? []).map(({ port }) => port),
  }));
}

describe('endpoints', () => {
  const ready = member('a', '10.0.0.1');
  const unready = member('b', '10.0.0.2', { ready: false });
  const going = member('c', '10.0.0.3', { deleted: at(1) });
  const table: readonly (readonly [
    string,
    Partial<NonNullable<Service['spec']>>,
    readonly Pod[],
    unknown,
  ])[] = [
    ['nobody', {}, [], []],
    ['ready', {}, [ready], [{ ready: ['10.0.0.1'], notReady: [], ports: [8080] }]],
    ['not ready', {}, [ready, unready], [{ ready: ['10.0.0.1'], notReady: ['10.0.0.2'], ports: [8080] }]],
    ['on its way out', {}, [ready, going], [{ ready: ['10.0.0.1'], notReady: [], ports: [8080] }]],
    ['finished', {}, [member('d', '10.0.0.4', { phase: 'Failed' })], []],
    ['without an address', {}, [pod('e')], []],
    [
      'everybody, if the service wants them',
      { publishNotReadyAddresses: true },
      [unready, going],
      [{ ready: ['10.0.0.2', '10.0.0.3'], notReady: [], ports: [8080] }],
    ],
    [
      'a port by name differs from pod to pod',
      { ports: [{ port: 80, targetPort: 'http' }] },
      ['10.0.0.1', '10.0.0.2'].map((ip, i) =>
        member(`p${i}`, ip, {
          spec: {
            containers: [{ name: 'm', image: 'i', ports: [{ name: 'http', containerPort: 8000 + i }] }],
          },
        }),
      ),
      [
        { ready: ['10.0.0.1'], notReady: [], ports: [8000] },
        { ready: ['10.0.0.2'], notReady: [], ports: [8001] },
      ],
    ],
    [
      'a pod that has no port of one name serves the others',
      {
        ports: [
          { name: 'http', port: 80, targetPort: 'http' },
          { name: 'admin', port: 81, targetPort: 9090 },
        ],
      },
      [
        ready,
        member('named', '10.0.0.9', {
          spec: { containers: [{ name: 'm', image: 'i', ports: [{ name: 'http', containerPort: 8000 }] }] },
        }),
      ],
      [
        { ready: ['10.0.0.1', '10.0.0.9'], notReady: [], ports: [9090] },
        { ready: ['10.0.0.9'], notReady: [], ports: [8000] },
      ],
    ],
    ['a port name the pod does not have', { ports: [{ port: 80, targetPort: 'http' }] }, [ready], []],
    [
      'headless without ports',
      { clusterIP: 'None', ports: [] },
      [ready],
      [{ ready: ['10.0.0.1'], notReady: [], ports: [] }],
    ],
  ];
  for (const [name, spec, pods, expected] of table) {
    test(name, () => assert.deepEqual(addresses(spec, pods), expected));
  }

  test('that are as they should be are not written', () => {
    const present = decideEndpoints(service(), [ready], undefined);
    assert.equal(present?.metadata.labels?.tier, 'front');
    assert.equal(decideEndpoints(service(), [ready], present), undefined);
  });

  test('carry the host name of pods in the service’s subdomain', () => {
    const named = member('web-0', '10.0.0.1', { spec: { hostname: 'web-0', subdomain: 'web' } });
    const endpoints = decideEndpoints(service({ clusterIP: 'None' }), [named], undefined);
    assert.deepEqual(endpoints?.subsets?.[0]?.addresses?.[0], {
      ip: '10.0.0.1',
      hostname: 'web-0',
      nodeName: 'n1',
      targetRef: { kind: 'Pod', namespace: 'default', name: 'web-0', uid: 'uid-web-0' },
    });
    assert.equal(endpoints?.metadata.labels?.['service.kubernetes.io/headless'], '');
  });
});

describe('slices', () => {
  const nodes = (name: string) => node(name, { labels: { 'topology.kubernetes.io/zone': 'z1' } });
  const plan = (pods: readonly Pod[], present: readonly EndpointSlice[] = []) =>
    decideSlices(service(), pods, present, nodes);
  /** What the server would hold after the plan's creations. */
  const stored = (pods: readonly Pod[]): EndpointSlice[] =>
    plan(pods).create.map((slice, i) => ({ ...slice, metadata: { ...slice.metadata, name: `web-${i}` } }));

  test('say what is ready, serving and terminating', () => {
    const pods = [
      member('a', '10.0.0.1'),
      member('b', '10.0.0.2', { ready: false }),
      member('c', '10.0.0.3', { deleted: at(1) }),
    ];
    const slice = plan(pods).create[0];
    assert.deepEqual(
      slice?.endpoints.map(({ conditions }) => conditions),
      [
        { ready: true, serving: true, terminating: false },
        { ready: false, serving: false, terminating: false },
        { ready: false, serving: true, terminating: true },
      ],
    );
    assert.equal(slice?.endpoints[0]?.zone, 'z1');
    assert.deepEqual(slice?.ports, [{ name: '', port: 8080, protocol: 'TCP' }]);
    assert.deepEqual(slice?.metadata.labels, {
      tier: 'front',
      'kubernetes.io/service-name': 'web',
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    });
    assert.equal(slice?.metadata.ownerReferences?.[0]?.kind, 'Service');
  });

  test('hold at most 100 endpoints, and a change touches one of them', () => {
    const pods = Array.from({ length: 150 }, (_, i) =>
      member(`p${String(i).padStart(3, '0')}`, `10.0.0.${i}`),
    );
    const slices = stored(pods);
    assert.deepEqual(
      slices.map(({ endpoints }) => endpoints.length),
      [100, 50],
    );
    assert.deepEqual(plan(pods, slices), { create: [], update: [], delete: [] });
    const fewer = plan(pods.slice(1), slices);
    assert.deepEqual(
      fewer.update.map(({ metadata, endpoints }) => [metadata.name, endpoints.length]),
      [['web-0', 99]],
    );
    assert.deepEqual(fewer.create, []);
  });

  test('one empty slice stands for a service without pods', () => {
    const empty = stored([]);
    assert.equal(empty.length, 1);
    assert.deepEqual(plan([], empty), { create: [], update: [], delete: [] });
    const filled = plan([member('a', '10.0.0.1')], empty);
    assert.deepEqual([filled.create, filled.delete], [[], []], 'the empty one is used');
    assert.equal(filled.update[0]?.endpoints.length, 1);
    assert.deepEqual(filled.update[0]?.ports, [{ name: '', port: 8080, protocol: 'TCP' }]);
  });
});

describe('endpoints over capacity', () => {
  const many = Array.from({ length: 1_001 }, (_, index) =>
    member(`p${index}`, `10.1.${index >> 8}.${index & 255}`),
  );
  test('have a thousand addresses and say so, as long as it is so', () => {
    const truncated = decideEndpoints(service(), many, undefined);
    assert.ok(truncated);
    assert.equal(truncated.subsets?.[0]?.addresses?.length, 1_000);
    const annotation = 'endpoints.kubernetes.io/over-capacity';
    assert.equal(truncated.metadata.annotations?.[annotation], 'truncated');
    assert.equal(decideEndpoints(service(), many, truncated), undefined);
    const fewer = decideEndpoints(service(), many.slice(1), truncated);
    assert.ok(fewer);
    assert.equal(fewer.metadata.annotations, undefined);
  });
});
