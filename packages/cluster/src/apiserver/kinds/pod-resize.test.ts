import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type Json, valueAt } from '../object.ts';
import { podOf, startTestServer, type TestServer, withDefaultAccount } from '../testing/test-server.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const PODS = `${NAMESPACE}/pods`;
const STRATEGIC = 'application/strategic-merge-patch+json';
const AMOUNTS: Json = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m', memory: '128Mi' } };

const CPU: Json = { resourceName: 'cpu', restartPolicy: 'NotRequired' };

type Answer = Awaited<ReturnType<TestServer['call']>>;

const ONE_CONTAINER: Json = { containers: [{ name: 'main', image: 'busybox', resources: AMOUNTS }] };

async function withPod(t: TestContext, spec: Json = ONE_CONTAINER): Promise<TestServer> {
  const server = await startTestServer(t);
  await withDefaultAccount(server);
  const made = await server.call('POST', PODS, { body: { ...podOf('web'), spec } });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return server;
}

function resize(server: TestServer, spec: Json, type = STRATEGIC): Promise<Answer> {
  return server.call('PATCH', `${PODS}/web/resize`, { type, body: { spec } });
}

const ofMain = (resources: Json, more: Json = {}): Json => ({
  containers: [{ name: 'main', resources, ...more }],
});

function messages({ body }: Answer): unknown {
  const causes = valueAt(body, 'details', 'causes');
  if (!Array.isArray(causes)) return body.message;
  return causes.map((cause: Json) => `${cause.field}: ${cause.message}`);
}

describe('pods/resize', () => {
  it('changes CPU and memory of containers, and nothing else', async (t) => {
    const server = await withPod(t);
    const spec = { hostname: 'x', ...ofMain({ limits: { cpu: '300m' } }, { image: 'other' }) };
    const changed = await resize(server, spec);
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    const [main] = valueAt(changed.body, 'spec', 'containers') as Json[];
    assert.deepEqual(main?.resources, { ...AMOUNTS, limits: { cpu: '300m', memory: '128Mi' } });
    assert.equal(main?.image, 'busybox');
    assert.equal(valueAt(changed.body, 'spec', 'hostname'), undefined);
    assert.equal(valueAt(changed.body, 'metadata', 'generation'), 2);
    const read = await server.call('GET', `${PODS}/web/resize`);
    assert.deepEqual(read.body, changed.body);
    const put = await server.call('PUT', `${PODS}/web/resize`, { body: read.body });
    assert.equal(valueAt(put.body, 'metadata', 'generation'), 2, 'nothing has changed');
    const direct = await server.call('PATCH', `${PODS}/web`, {
      type: STRATEGIC,
      body: { spec: ofMain(AMOUNTS) },
    });
    assert.equal(direct.status, 422, 'only by its own path');
  });

  const refused: readonly (readonly [what: string, Json, string, readonly string[]])[] = [
    [
      'a request above the limit',
      ofMain({ requests: { cpu: '300m' } }),
      STRATEGIC,
      [
        'spec.containers[0].resources.requests: Invalid value: "300m": must be less than or equal to cpu limit of 200m',
      ],
    ],
    [
      'the removal of amounts, which another quality of service is as well',
      { containers: [{ name: 'main', image: 'busybox', resources: {} }] },
      'application/merge-patch+json',
      [
        'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
        'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
        'spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed',
      ],
    ],
    [
      'equal requests and limits, which guarantee them',
      ofMain({ requests: { cpu: '200m', memory: '128Mi' } }),
      STRATEGIC,
      ['spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing'],
    ],
    [
      'other resources',
      ofMain({ requests: { 'ephemeral-storage': '1Gi' } }),
      STRATEGIC,
      ['spec: Forbidden: only cpu and memory resources are mutable'],
    ],
    [
      'another policy',
      ofMain({}, { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }),
      STRATEGIC,
      ['spec: Forbidden: only cpu and memory resources are mutable'],
    ],
    [
      'another container',
      { containers: [{ name: 'more', image: 'busybox' }] },
      STRATEGIC,
      ['spec.containers: Forbidden: containers may not be added or removed on resize'],
    ],
  ];

  for (const [what, spec, type, expected] of refused) {
    it(`refuses ${what}`, async (t) => {
      const answer = await resize(await withPod(t), spec, type);
      assert.equal(answer.status, 422, JSON.stringify(answer.body));
      assert.deepEqual(messages(answer), expected);
    });
  }

  it('changes init containers as well, those that stay and those that end', async (t) => {
    const restarts = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }];
    const sidecar = { name: 'proxy', image: 'busybox', restartPolicy: 'Always', resizePolicy: restarts };
    const init = { name: 'setup', image: 'busybox' };
    const server = await withPod(t, {
      ...ONE_CONTAINER,
      initContainers: [sidecar, init].map((container) => ({ ...container, resources: AMOUNTS })),
    });
    for (const name of ['proxy', 'setup']) {
      const answer = await resize(server, {
        initContainers: [{ name, resources: { limits: { cpu: '1' } } }],
      });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    }
  });

  const policies: readonly (readonly [what: string, spec: Json, expected: string])[] = [
    [
      'a resource that cannot be resized',
      { resizePolicy: [{ ...CPU, resourceName: 'disk' }] },
      'spec.containers[0].resizePolicy: Unsupported value: "disk": supported values: "cpu", "memory"',
    ],
    [
      'the same resource twice',
      { resizePolicy: [CPU, CPU] },
      'spec.containers[0].resizePolicy[1]: Duplicate value: "cpu"',
    ],
    [
      'a restart of what is never restarted',
      { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] },
      "spec.containers[0].resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when pod `restartPolicy` is 'Never'",
    ],
  ];
  for (const [what, container, expected] of policies) {
    it(`a pod's policy must not name ${what}`, async (t) => {
      const server = await startTestServer(t);
      await withDefaultAccount(server);
      const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', ...container }] };
      const answer = await server.call('POST', PODS, { body: { ...podOf('web'), spec } });
      assert.deepEqual(messages(answer), [expected]);
    });
  }

  it('gives no more than the node has in all, a quota leaves, and a limit range allows', async (t) => {
    const server = await withPod(t);
    const node = { metadata: { name: 'n1' }, status: { allocatable: { cpu: '2', memory: '4Gi' } } };
    assert.equal((await server.call('POST', '/api/v1/nodes', { body: node })).status, 201);
    const target = { kind: 'Node', name: 'n1' };
    await server.call('POST', `${PODS}/web/binding`, { body: { metadata: { name: 'web' }, target } });
    const much = { cpu: '3', memory: '8Gi' };
    const beyond = await resize(server, ofMain({ requests: { cpu: '3' }, limits: much }));
    assert.equal(
      beyond.body.message,
      'pods "web" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 3000, allocatable: 2000',
    );
    const quota = { metadata: { name: 'q' }, spec: { hard: { 'requests.cpu': '500m' } } };
    await server.call('POST', `${NAMESPACE}/resourcequotas`, { body: quota });
    const range = {
      metadata: { name: 'r' },
      spec: { limits: [{ type: 'Container', max: { memory: '256Mi' } }] },
    };
    await server.call('POST', `${NAMESPACE}/limitranges`, { body: range });
    const ranged = await resize(server, ofMain({ limits: { memory: '512Mi' } }));
    assert.equal(
      ranged.body.message,
      'pods "web" is forbidden: maximum memory usage per Container is 256Mi, but limit is 512Mi',
    );
    const quoted = await resize(server, ofMain({ requests: { cpu: '600m' }, limits: { cpu: '1' } }));
    assert.equal(
      quoted.body.message,
      'pods "web" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=100m, limited: requests.cpu=500m',
    );
    const enough = await resize(server, ofMain({ requests: { cpu: '500m' }, limits: { cpu: '1' } }));
    assert.equal(enough.status, 200, JSON.stringify(enough.body));
  });
});
