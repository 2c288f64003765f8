import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Json, valueAt } from '../object.ts';
import { podOf, startTestServer, type TestServer, withDefaultAccount } from '../testing/test-server.ts';

const PODS = '/api/v1/namespaces/default/pods';
const STRATEGIC = 'application/strategic-merge-patch+json';
const SHELL: Json = { name: 'shell', image: 'busybox', stdin: true, tty: true, targetContainerName: 'main' };

type Answer = Awaited<ReturnType<TestServer['call']>>;

function add(server: TestServer, container: Json): Promise<Answer> {
  const body = { spec: { ephemeralContainers: [container] } };
  return server.call('PATCH', `${PODS}/web/ephemeralcontainers`, { type: STRATEGIC, body });
}

async function withPod(server: TestServer): Promise<void> {
  await withDefaultAccount(server);
  const { status } = await server.call('POST', PODS, { body: podOf('web') });
  assert.equal(status, 201);
}

describe('ephemeral containers', () => {
  it('are added to a pod by their own path, and nothing else is', async (t) => {
    const server = await startTestServer(t);
    await withPod(server);
    const body = { metadata: { labels: { a: 'b' } }, spec: { hostname: 'x', ephemeralContainers: [SHELL] } };
    const added = await server.call('PATCH', `${PODS}/web/ephemeralcontainers`, { type: STRATEGIC, body });
    assert.equal(added.status, 200, JSON.stringify(added.body));
    assert.deepEqual(valueAt(added.body, 'spec', 'ephemeralContainers'), [
      {
        ...SHELL,
        imagePullPolicy: 'Always',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
      },
    ]);
    assert.equal(valueAt(added.body, 'metadata', 'labels'), undefined);
    assert.equal(valueAt(added.body, 'spec', 'hostname'), undefined);
    const read = await server.call('GET', `${PODS}/web/ephemeralcontainers`);
    assert.deepEqual(read.body, added.body);
    const second = await add(server, { name: 'other', image: 'busybox' });
    assert.equal((valueAt(second.body, 'spec', 'ephemeralContainers') as Json[]).length, 2);
    // By the pod itself they cannot be changed, and a pod that has some can be updated.
    const labelled = await server.call('PUT', `${PODS}/web`, {
      body: {
        ...second.body,
        metadata: { ...(second.body.metadata as Json), labels: { a: 'b' }, resourceVersion: '' },
      },
    });
    assert.equal(labelled.status, 200, JSON.stringify(labelled.body));
    const put = await server.call('PUT', `${PODS}/web/ephemeralcontainers`, { body: labelled.body });
    assert.equal(put.status, 200);
  });

  const refused: readonly (readonly [string, Json, string])[] = [
    [
      'the name of another container',
      { name: 'main', image: 'x' },
      'spec.ephemeralContainers[0].name: Duplicate value: "main"',
    ],
    [
      'a target that is not there',
      { name: 'e', image: 'x', targetContainerName: 'no' },
      'spec.ephemeralContainers[0].targetContainerName: Not found: "no"',
    ],
    [
      'ports',
      { name: 'e', image: 'x', ports: [{ containerPort: 80 }] },
      'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
    ],
    [
      'resources',
      { name: 'e', image: 'x', resources: { limits: { cpu: '1' } } },
      'spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container',
    ],
    [
      'a probe',
      { name: 'e', image: 'x', livenessProbe: { exec: { command: ['true'] } } },
      'spec.ephemeralContainers[0].livenessProbe: Forbidden: cannot be set for an Ephemeral Container',
    ],
    ['no image', { name: 'e' }, 'spec.ephemeralContainers[0].image: Required value'],
  ];
  for (const [name, container, message] of refused) {
    it(`are refused with ${name}`, async (t) => {
      const server = await startTestServer(t);
      await withPod(server);
      const answer = await add(server, container);
      assert.deepEqual([answer.status, answer.body.message], [422, `Pod "web" is invalid: ${message}`]);
    });
  }

  it('cannot be there from the beginning, change or go', async (t) => {
    const server = await startTestServer(t);
    await withPod(server);
    const early = podOf('early');
    Object.assign(early.spec as Json, { ephemeralContainers: [SHELL] });
    const answer = await server.call('POST', PODS, { body: early });
    assert.match(
      String(answer.body.message),
      /spec\.ephemeralContainers: Forbidden: cannot be set on create/,
    );
    await add(server, SHELL);
    const changed = await add(server, { ...SHELL, image: 'other' });
    assert.match(String(changed.body.message), /existing ephemeral containers "shell" may not be changed/);
    const present = await server.call('GET', `${PODS}/web`);
    const { ephemeralContainers: _gone, ...spec } = present.body.spec as Json;
    const gone = await server.call('PUT', `${PODS}/web/ephemeralcontainers`, {
      body: { ...present.body, spec },
    });
    assert.match(String(gone.body.message), /existing ephemeral containers "shell" may not be removed/);
    assert.equal((await server.call('DELETE', `${PODS}/web/ephemeralcontainers`)).status, 405);
    assert.equal((await server.call('GET', '/api/v1/nodes/n/ephemeralcontainers')).status, 404);
  });
});
