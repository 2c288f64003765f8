import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigMap, Container, Pod, Secret, Service } from '@turnsole/kube/kinds/core';
import fc from 'fast-check';
import { containerEnvironment } from './container-env.ts';
import { fieldValue, type PodPlacement, resourceValue } from './downward.ts';
import { expandVariables } from './expand.ts';
import { MissingReferenceError, type ReferenceSource } from './references.ts';
import { serviceVariables } from './service-variables.ts';

const variables = new Map([
  ['HOST', 'web'],
  ['EMPTY', ''],
]);

const expansions: [text: string, expanded: string][] = [
  ['http://$(HOST):80', 'http://web:80'],
  ['$(HOST)$(HOST)', 'webweb'],
  ['[$(EMPTY)]', '[]'],
  ['$(UNKNOWN)', '$(UNKNOWN)'],
  ['$$(HOST)', '$(HOST)'],
  ['$$$(HOST)', '$web'],
  ['$$$$', '$$'],
  ['$HOST {HOST} $', '$HOST {HOST} $'],
  ['$(HOST', '$(HOST'],
];

for (const [text, expanded] of expansions) {
  test(`${text} is ${expanded}`, () => assert.equal(expandVariables(text, variables), expanded));
}

test('any text can be escaped', () => {
  fc.assert(
    fc.property(fc.string(), (text) => expandVariables(text.replaceAll('$', '$$$$'), variables) === text),
  );
});

const placement: PodPlacement = {
  nodeName: 'turnsole-1',
  hostIP: '127.20.254.1',
  podIP: '127.20.64.7',
  allocatable: { cpus: 2, memoryBytes: 4096 },
};
const pod: Pod = {
  metadata: {
    name: 'web-0',
    namespace: 'shop',
    uid: 'u1',
    labels: { app: 'web', tier: 'a"b' },
    annotations: { 'example.com/note': 'yes' },
  },
  spec: { serviceAccountName: 'runner', containers: [] },
};

const fields: [path: string, value: string | undefined][] = [
  ['metadata.name', 'web-0'],
  ['metadata.namespace', 'shop'],
  ['metadata.uid', 'u1'],
  ["metadata.labels['app']", 'web'],
  ["metadata.labels['none']", ''],
  ["metadata.annotations['example.com/note']", 'yes'],
  ['metadata.labels', 'app="web"\ntier="a\\"b"'],
  ['spec.nodeName', 'turnsole-1'],
  ['spec.serviceAccountName', 'runner'],
  ['status.hostIP', '127.20.254.1'],
  ['status.podIP', '127.20.64.7'],
  ['status.phase', undefined],
];

for (const [path, value] of fields) {
  test(`field ${path}`, () => assert.equal(fieldValue(path, pod, placement), value));
}

const container: Container = {
  name: 'c',
  resources: { limits: { cpu: '250m', memory: '1Gi' }, requests: { cpu: '100m' } },
};
const resources: [
  resource: string,
  divisor: string | undefined,
  value: string | undefined,
  of?: Container,
][] = [
  ['limits.cpu', undefined, '1'],
  ['limits.cpu', '1m', '250'],
  ['limits.memory', '1Mi', '1024'],
  ['limits.memory', '0', '1073741824'],
  ['requests.cpu', '1m', '100'],
  ['requests.memory', undefined, '1073741824'],
  ['limits.cpu', undefined, '2', { name: 'free' }],
  ['requests.cpu', undefined, '0', { name: 'free' }],
  ['nothing.cpu', undefined, undefined],
];

for (const [resource, divisor, value, of = container] of resources) {
  test(`resource ${resource} of ${of.name} in units of ${divisor ?? '1'}`, () => {
    assert.equal(resourceValue(resource, divisor, of, placement), value);
  });
}

function service(name: string, spec: Service['spec']): Service {
  return { metadata: { name, namespace: 'shop' }, ...(spec === undefined ? {} : { spec }) };
}

test('variables of a service in both forms; none without a cluster IP', () => {
  const found = serviceVariables([
    service('redis-main', {
      clusterIP: '127.20.0.9',
      ports: [
        { name: 'client', port: 6379 },
        { name: 'ha-port', port: 26379, protocol: 'UDP' },
      ],
    }),
    service('headless', { clusterIP: 'None', ports: [{ port: 80 }] }),
  ]);
  assert.deepEqual(Object.fromEntries(found), {
    REDIS_MAIN_SERVICE_HOST: '127.20.0.9',
    REDIS_MAIN_SERVICE_PORT: '6379',
    REDIS_MAIN_SERVICE_PORT_CLIENT: '6379',
    REDIS_MAIN_SERVICE_PORT_HA_PORT: '26379',
    REDIS_MAIN_PORT: 'tcp://127.20.0.9:6379',
    REDIS_MAIN_PORT_6379_TCP: 'tcp://127.20.0.9:6379',
    REDIS_MAIN_PORT_6379_TCP_PROTO: 'tcp',
    REDIS_MAIN_PORT_6379_TCP_PORT: '6379',
    REDIS_MAIN_PORT_6379_TCP_ADDR: '127.20.0.9',
    REDIS_MAIN_PORT_26379_UDP: 'udp://127.20.0.9:26379',
    REDIS_MAIN_PORT_26379_UDP_PROTO: 'udp',
    REDIS_MAIN_PORT_26379_UDP_PORT: '26379',
    REDIS_MAIN_PORT_26379_UDP_ADDR: '127.20.0.9',
  });
});

const references: ReferenceSource = {
  configMap: async (_namespace, name) =>
    name === 'settings'
      ? ({ metadata: { name }, data: { MODE: 'fast', 'not a name': 'x' } } satisfies ConfigMap)
      : undefined,
  secret: async (_namespace, name) =>
    name === 'login'
      ? ({
          metadata: { name },
          data: { password: Buffer.from('s3cret').toString('base64') },
        } satisfies Secret)
      : undefined,
};

async function environment(change: Partial<Container>): Promise<Record<string, string>> {
  const services = new Map([['WEB_PORT', 'tcp://x']]);
  const input = { pod, placement, references, services, container: { name: 'c', ...change } };
  const { WEB_PORT: _, ...rest } = Object.fromEntries(await containerEnvironment(input));
  return rest;
}

test('env sees what stands before it, and wins over envFrom and services', async () => {
  assert.deepEqual(
    await environment({
      envFrom: [{ prefix: 'APP_', configMapRef: { name: 'settings' } }, { secretRef: { name: 'login' } }],
      env: [
        { name: 'A', value: '$(B) $(APP_MODE) $(WEB_PORT)' },
        { name: 'B', value: '$(A)' },
        { name: 'APP_MODE', value: 'slow' },
        { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
        { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
        { name: 'KEY', valueFrom: { configMapKeyRef: { name: 'settings', key: 'MODE' } } },
        { name: 'PASS', valueFrom: { secretKeyRef: { name: 'login', key: 'password' } } },
        { name: 'NONE', valueFrom: { secretKeyRef: { name: 'login', key: 'none', optional: true } } },
        { name: 'NOTHING', valueFrom: { configMapKeyRef: { name: 'none', key: 'none', optional: true } } },
      ],
    }),
    {
      APP_MODE: 'slow',
      password: 's3cret',
      A: '$(B) fast tcp://x',
      B: '$(B) fast tcp://x',
      NODE: 'turnsole-1',
      CPU: '2',
      KEY: 'fast',
      PASS: 's3cret',
    },
  );
});

const missing: [name: string, change: Partial<Container>, message: string][] = [
  ['config map of envFrom', { envFrom: [{ configMapRef: { name: 'x' } }] }, 'configmap "x" not found'],
  ['secret of envFrom', { envFrom: [{ secretRef: { name: 'x' } }] }, 'secret "x" not found'],
  [
    'config map',
    { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'x', key: 'k' } } }] },
    'configmap "x" not found',
  ],
  [
    'key of a config map',
    { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'k' } } }] },
    "couldn't find key k in ConfigMap shop/settings",
  ],
  [
    'key of a secret',
    { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'login', key: 'k' } } }] },
    "couldn't find key k in Secret shop/login",
  ],
  [
    'field',
    { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'x' } } }] },
    'unsupported fieldPath: x',
  ],
];

for (const [name, change, message] of missing) {
  test(`a missing ${name} is an error that names it`, async () => {
    await assert.rejects(environment(change), (error) => {
      assert.ok(error instanceof MissingReferenceError);
      assert.equal(error.message, message);
      return true;
    });
  });
}

test('what is optional may be missing', async () => {
  assert.deepEqual(
    await environment({
      envFrom: [
        { configMapRef: { name: 'x', optional: true } },
        { secretRef: { name: 'x', optional: true } },
      ],
    }),
    {},
  );
});
