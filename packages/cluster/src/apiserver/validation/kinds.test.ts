import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FieldError } from '@turnsole/kube/schema/field-error';
import type { ApiObject, Json } from '../object.ts';
import { validateClaim, validateClaimUpdate } from './claim.ts';
import { validateEndpoints } from './endpoints.ts';
import { validateIngress } from './ingress.ts';
import { validateNetworkPolicy } from './network-policy.ts';

function paths(errors: readonly FieldError[]): string[] {
  return errors.map(({ path, type }) => `${path}: ${type}`);
}

describe('ingresses', () => {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const withPath = (entry: Json): Json => ({
    rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend, ...entry }] } }],
  });
  const at = 'spec.rules[0].http.paths[0]';
  const table: readonly (readonly [string, Json, readonly string[]])[] = [
    ['a rule', withPath({}), []],
    ['a default backend', { defaultBackend: backend }, []],
    ['a wildcard host', { rules: [{ host: '*.example.com' }] }, []],
    [
      'no path where the implementation may choose',
      withPath({ path: undefined, pathType: 'ImplementationSpecific' }),
      [],
    ],
    ['a backend that is a resource', { defaultBackend: { resource: { kind: 'A', name: 'b' } } }, []],
    ['nothing', {}, ['spec: FieldValueInvalid']],
    ['a bad host', { rules: [{ host: 'Bad_Host' }] }, ['spec.rules[0].host: FieldValueInvalid']],
    ['no paths', { rules: [{ http: { paths: [] } }] }, ['spec.rules[0].http.paths: FieldValueRequired']],
    ['no path type', withPath({ pathType: undefined }), [`${at}.pathType: FieldValueRequired`]],
    ['an unknown path type', withPath({ pathType: 'Nonsense' }), [`${at}.pathType: FieldValueNotSupported`]],
    ['a relative path', withPath({ path: 'x' }), [`${at}.path: FieldValueInvalid`]],
    ['no backend', withPath({ backend: {} }), [`${at}.backend: FieldValueInvalid`]],
    [
      'two backends',
      { defaultBackend: { ...backend, resource: {} } },
      ['spec.defaultBackend: FieldValueInvalid'],
    ],
    [
      'no service name',
      { defaultBackend: { service: { port: { number: 1 } } } },
      ['spec.defaultBackend.service.name: FieldValueRequired'],
    ],
    ['no port', { defaultBackend: { service: { name: 'a' } } }, ['spec.defaultBackend: FieldValueRequired']],
    [
      'two ports',
      { defaultBackend: { service: { name: 'a', port: { number: 1, name: 'b' } } } },
      ['spec.defaultBackend: FieldValueInvalid'],
    ],
    [
      'a port that is none',
      { defaultBackend: { service: { name: 'a', port: { number: 70_000 } } } },
      ['spec.defaultBackend.service.port.number: FieldValueInvalid'],
    ],
  ];
  for (const [name, spec, wanted] of table) {
    it(`are judged: ${name}`, () => assert.deepEqual(paths(validateIngress(spec)), wanted));
  }
});

describe('network policies', () => {
  const from = (peer: Json): Json => ({ podSelector: {}, ingress: [{ from: [peer] }] });
  const table: readonly (readonly [string, Json, readonly string[]])[] = [
    ['everything', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }, []],
    ['selectors', from({ podSelector: {}, namespaceSelector: { matchLabels: { a: 'b' } } }), []],
    ['a block', from({ ipBlock: { cidr: '192.0.2.0/24', except: ['192.0.2.1/32'] } }), []],
    ['a block of the sixth version', from({ ipBlock: { cidr: '2001:db8::/64' } }), []],
    ['no peer', from({}), ['spec.ingress[0].from[0]: FieldValueRequired']],
    [
      'a peer that is two',
      from({ podSelector: {}, ipBlock: { cidr: '192.0.2.0/24' } }),
      ['spec.ingress[0].from[0]: FieldValueForbidden'],
    ],
    [
      'a bad block',
      from({ ipBlock: { cidr: '192.0.2.0' } }),
      ['spec.ingress[0].from[0].ipBlock.cidr: FieldValueInvalid'],
    ],
    [
      'a mask that is too long',
      from({ ipBlock: { cidr: '192.0.2.0/33' } }),
      ['spec.ingress[0].from[0].ipBlock.cidr: FieldValueInvalid'],
    ],
    [
      'a bad exception',
      from({ ipBlock: { cidr: '192.0.2.0/24', except: ['x'] } }),
      ['spec.ingress[0].from[0].ipBlock.except[0]: FieldValueInvalid'],
    ],
    [
      'an unknown type',
      { podSelector: {}, policyTypes: ['Sideways'] },
      ['spec.policyTypes[0]: FieldValueNotSupported'],
    ],
    [
      'bad labels',
      { podSelector: { matchLabels: { 'bad key': 'x' } } },
      ['spec.podSelector.matchLabels: FieldValueInvalid'],
    ],
    [
      'ports',
      { podSelector: {}, egress: [{ ports: [{ port: 0, protocol: 'HTTP' }, { port: 'Bad' }] }] },
      [
        'spec.egress[0].ports[0].protocol: FieldValueNotSupported',
        'spec.egress[0].ports[0].port: FieldValueInvalid',
        'spec.egress[0].ports[1].port: FieldValueInvalid',
      ],
    ],
  ];
  for (const [name, spec, wanted] of table) {
    it(`are judged: ${name}`, () => assert.deepEqual(paths(validateNetworkPolicy(spec)), wanted));
  }
});

describe('claims', () => {
  const claim = (spec: Json): ApiObject => ({
    metadata: { name: 'c' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  });

  it('need access modes that exist, and a size', () => {
    assert.deepEqual(paths(validateClaim(claim({}))), []);
    assert.deepEqual(paths(validateClaim(claim({ accessModes: [], resources: {} }))), [
      'spec.accessModes: FieldValueRequired',
      'spec.resources[storage]: FieldValueRequired',
    ]);
    assert.deepEqual(paths(validateClaim(claim({ accessModes: ['Sometimes'] }))), [
      'spec.accessModes: FieldValueNotSupported',
    ]);
  });

  const table: readonly (readonly [string, Json, Json, boolean])[] = [
    ['are bound once', {}, { volumeName: 'v' }, true],
    ['are not bound elsewhere', { volumeName: 'v' }, { volumeName: 'w' }, false],
    ['get a class where they had none', {}, { storageClassName: 's' }, true],
    ['keep their class', { storageClassName: 's' }, { storageClassName: 't' }, false],
    ['may grow', {}, { resources: { requests: { storage: '2Gi' } } }, true],
    ['keep their access modes', {}, { accessModes: ['ReadOnlyMany'] }, false],
  ];
  for (const [name, before, after, isAllowed] of table) {
    it(name, () => {
      const errors = validateClaimUpdate(claim(after), claim(before));
      assert.deepEqual(paths(errors), isAllowed ? [] : ['spec: FieldValueForbidden']);
    });
  }
});

describe('endpoints', () => {
  const subset = (extra: Json): ApiObject => ({
    metadata: { name: 'e' },
    subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }], ...extra }],
  });
  const table: readonly (readonly [string, Json, readonly string[]])[] = [
    ['an address and a port', {}, []],
    ['an address of a pod without an own network', { addresses: [{ ip: '127.1.2.3' }] }, []],
    ['addresses that are not ready', { addresses: undefined, notReadyAddresses: [{ ip: '192.0.2.1' }] }, []],
    ['no address', { addresses: [] }, ['subsets[0]: FieldValueRequired']],
    [
      'something else',
      { addresses: [{ ip: 'x' }] },
      ['subsets[0].addresses[0].ip: FieldValueInvalid', 'subsets[0].addresses[0].ip: FieldValueInvalid'],
    ],
    [
      'no address in particular',
      { addresses: [{ ip: '0.0.0.0' }] },
      ['subsets[0].addresses[0].ip: FieldValueInvalid'],
    ],
    [
      'a link-local address',
      { addresses: [{ ip: '169.254.0.1' }] },
      ['subsets[0].addresses[0].ip: FieldValueInvalid'],
    ],
    ['a port that is none', { ports: [{ port: 0 }] }, ['subsets[0].ports[0].port: FieldValueInvalid']],
    [
      'ports without names',
      { ports: [{ port: 1, name: 'a' }, { port: 2 }] },
      ['subsets[0].ports[1].name: FieldValueRequired'],
    ],
  ];
  for (const [name, extra, wanted] of table) {
    it(`are judged: ${name}`, () => assert.deepEqual(paths(validateEndpoints(subset(extra))), wanted));
  }
});
