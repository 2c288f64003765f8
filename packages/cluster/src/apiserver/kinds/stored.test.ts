/** Kinds that are stored for those who write and read them, without effect here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asJson, asObjects, type Json } from '../object.ts';
import { podOf, startTestServer, withDefaultAccount } from '../testing/test-server.ts';

const ROWS: readonly (readonly [path: string, body: Json, name?: string])[] = [
  ['storage.k8s.io/v1/csidrivers', { spec: { attachRequired: false } }],
  ['storage.k8s.io/v1/csinodes', { spec: { drivers: [] } }],
  [
    'storage.k8s.io/v1/namespaces/default/csistoragecapacities',
    { storageClassName: 'fast', capacity: '1Gi' },
  ],
  [
    'storage.k8s.io/v1/volumeattachments',
    { spec: { attacher: 'x.example', nodeName: 'n', source: { persistentVolumeName: 'v' } } },
  ],
  ['storage.k8s.io/v1/volumeattributesclasses', { driverName: 'x.example', parameters: { iops: '9' } }],
  ['node.k8s.io/v1/runtimeclasses', { handler: 'gvisor' }],
  [
    'flowcontrol.apiserver.k8s.io/v1/flowschemas',
    { spec: { priorityLevelConfiguration: { name: 'x' }, matchingPrecedence: 9 } },
  ],
  ['flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations', { spec: { type: 'Limited' } }],
  [
    'networking.k8s.io/v1/ipaddresses',
    { spec: { parentRef: { resource: 'services', name: 's' } } },
    '10.0.0.9',
  ],
  ['resource.k8s.io/v1/deviceclasses', { spec: { selectors: [{ cel: { expression: 'true' } }] } }],
  [
    'resource.k8s.io/v1/resourceslices',
    {
      spec: { driver: 'x.example', nodeName: 'n', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } },
    },
  ],
  ['networking.k8s.io/v1/servicecidrs', { spec: { cidrs: ['10.0.0.0/24'] } }],
];

test('are kept with all their fields, and refuse those that they do not have', async (t) => {
  const server = await startTestServer(t);
  for (const [path, body, name = 'one'] of ROWS) {
    const made = await server.call('POST', `/apis/${path}?fieldValidation=Strict`, {
      body: { metadata: { name }, ...body },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const read = await server.call('GET', `/apis/${path}/${name}`);
    for (const [field, value] of Object.entries(body))
      assert.deepEqual(asJson({ value: read.body[field] }), { value }, path);
    const misspelt = await server.call('POST', `/apis/${path}?fieldValidation=Strict`, {
      body: { metadata: { name: 'two' }, ...body, sepc: {} },
    });
    assert.match(String(misspelt.body['message']), /unknown field "sepc"/, path);
  }
});

test('a RuntimeClass has a handler, which stays', async (t) => {
  const server = await startTestServer(t);
  const path = '/apis/node.k8s.io/v1/runtimeclasses';
  const none = await server.call('POST', path, { body: { metadata: { name: 'r' } } });
  assert.match(String(none.body['message']), /handler: Required value/);
  await server.call('POST', path, { body: { metadata: { name: 'r' }, handler: 'a' } });
  const changed = await server.call('PUT', `${path}/r`, { body: { metadata: { name: 'r' }, handler: 'b' } });
  assert.match(String(changed.body['message']), /handler: Invalid value: "b": field is immutable/);
});

test('flow control has the defaults of a real server', async (t) => {
  const server = await startTestServer(t);
  const path = '/apis/flowcontrol.apiserver.k8s.io/v1';
  const level = { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } };
  const metadata = { name: 'x' };
  const made = await server.call('POST', `${path}/prioritylevelconfigurations`, {
    body: { metadata, spec: level },
  });
  assert.deepEqual(asJson(made.body.spec).limited, {
    nominalConcurrencyShares: 30,
    lendablePercent: 0,
    limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
  });
  const spec = { priorityLevelConfiguration: { name: 'x' } };
  const schema = await server.call('POST', `${path}/flowschemas`, { body: { metadata, spec } });
  assert.equal(asJson(schema.body.spec).matchingPrecedence, 1000);
});

test('addresses are named by themselves, and ranges of services stay', async (t) => {
  const server = await startTestServer(t);
  const path = '/apis/networking.k8s.io/v1';
  const spec = { parentRef: { resource: 'services', namespace: 'default', name: 's' } };
  const named = await server.call('POST', `${path}/ipaddresses`, {
    body: { metadata: { name: '010.0.0.5' }, spec },
  });
  assert.match(
    String(named.body['message']),
    /metadata\.name: Invalid value: "010\.0\.0\.5": must be a valid IP address/,
  );
  const metadata = { name: 'more' };
  await server.call('POST', `${path}/servicecidrs`, { body: { metadata, spec: { cidrs: ['10.9.0.0/24'] } } });
  const put = async (...cidrs: string[]): Promise<string> => {
    const { body } = await server.call('PUT', `${path}/servicecidrs/more`, {
      body: { metadata, spec: { cidrs } },
    });
    return String(body['message']);
  };
  assert.match(
    await put('10.8.0.0/24'),
    /spec\.cidrs\[0\]: Invalid value: "10\.8\.0\.0\/24": field is immutable/,
  );
  assert.match(await put(), /spec\.cidrs: Invalid value: .*field is immutable/);
  assert.equal(await put('10.9.0.0/24', 'fd00::/112'), 'undefined', 'the other family may be added');
});

const FIXED = { cpu: '100m' };
const CLASS = {
  metadata: { name: 'r' },
  handler: 'runsc',
  overhead: { podFixed: FIXED },
  scheduling: { nodeSelector: { sandbox: 'yes' }, tolerations: [{ key: 'sandbox', operator: 'Exists' }] },
};
const REFUSED: readonly (readonly [what: string, spec: Json, message: string])[] = [
  ['an unknown class', { runtimeClassName: 'none' }, 'pod rejected: RuntimeClass "none" not found'],
  [
    'an overhead that no class has',
    { overhead: FIXED },
    'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
  ],
  [
    'another overhead than that of its class',
    { runtimeClassName: 'r', overhead: { cpu: '1' } },
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
  ],
  [
    'nodes that its class excludes',
    { runtimeClassName: 'r', nodeSelector: { sandbox: 'no' } },
    'conflict: runtimeClass.scheduling.nodeSelector[sandbox] = yes; pod.spec.nodeSelector[sandbox] = no',
  ],
];

test('a pod gets what its RuntimeClass says, and is refused where that does not fit', async (t) => {
  const server = await startTestServer(t);
  await withDefaultAccount(server);
  await server.call('POST', '/apis/node.k8s.io/v1/runtimeclasses', { body: CLASS });
  const create = (more: Json): ReturnType<typeof server.call> => {
    const { spec, ...rest } = podOf('p');
    return server.call('POST', '/api/v1/namespaces/default/pods', {
      body: { ...rest, spec: { ...asJson(spec), ...more } },
    });
  };
  for (const [what, more, message] of REFUSED) {
    const { body } = await create(more);
    assert.equal(body['message'], `pods "p" is forbidden: ${message}`, what);
  }
  const { body } = await create({ runtimeClassName: 'r', nodeSelector: { disk: 'ssd' } });
  const { overhead, nodeSelector, tolerations } = asJson(body.spec);
  assert.deepEqual([overhead, nodeSelector], [FIXED, { disk: 'ssd', sandbox: 'yes' }]);
  assert.deepEqual(
    asObjects(tolerations).filter(({ key }) => key === 'sandbox'),
    CLASS.scheduling.tolerations,
  );
});
