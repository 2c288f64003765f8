/** Kinds that are stored for those who write and read them, without effect here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asJson, type Json } from '../object.ts';
import { startTestServer } from '../testing/test-server.ts';

const ROWS: readonly (readonly [path: string, body: Json])[] = [
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
  ['networking.k8s.io/v1/ipaddresses', { spec: { parentRef: { resource: 'services', name: 's' } } }],
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
  for (const [path, body] of ROWS) {
    const made = await server.call('POST', `/apis/${path}?fieldValidation=Strict`, {
      body: { metadata: { name: 'one' }, ...body },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const read = await server.call('GET', `/apis/${path}/one`);
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
