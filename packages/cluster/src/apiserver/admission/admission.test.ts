import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObjects, type Json, valueAt } from '../object.ts';
import { podOf, startTestServer, type TestServer, withDefaultAccount } from '../testing/test-server.ts';

const PODS = '/api/v1/namespaces/default/pods';

async function serverWith(
  t: Parameters<typeof startTestServer>[0],
  plural: string,
  body: Json,
): Promise<TestServer> {
  const server = await startTestServer(t);
  await withDefaultAccount(server);
  const answer = await server.call('POST', `/api/v1/namespaces/default/${plural}`, { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return server;
}

const withResources = (name: string, resources: Json): Json =>
  podOf(name, { containers: [{ name: 'main', image: 'app:1', resources }] });

describe('resource quotas', () => {
  it('refuse what would exceed them, and count what is there', async (t) => {
    const quota = { metadata: { name: 'q' }, spec: { hard: { pods: '1', 'requests.cpu': '1' } } };
    const server = await serverWith(t, 'resourcequotas', quota);
    const unsaid = await server.call('POST', PODS, { body: podOf('a') });
    assert.equal(
      unsaid.body.message,
      'pods "a" is forbidden: failed quota: q: must specify requests.cpu for: main',
    );
    const large = await server.call('POST', PODS, {
      body: withResources('a', { requests: { cpu: '1500m' } }),
    });
    assert.equal(
      large.body.message,
      'pods "a" is forbidden: exceeded quota: q, requested: requests.cpu=1500m, used: requests.cpu=0, limited: requests.cpu=1',
    );
    const good = withResources('a', { requests: { cpu: '500m' } });
    assert.equal((await server.call('POST', PODS, { body: good })).status, 201);
    const second = await server.call('POST', PODS, { body: { ...good, metadata: { name: 'b' } } });
    assert.deepEqual([second.status, second.body.reason], [403, 'Forbidden']);
    assert.equal(
      second.body.message,
      'pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    );
    // The status follows in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    const read = await server.call('GET', '/api/v1/namespaces/default/resourcequotas/q');
    assert.deepEqual(read.body.status, {
      hard: { pods: '1', 'requests.cpu': '1' },
      used: { pods: '1', 'requests.cpu': '500m' },
    });
  });

  it('do not count pods that have ended', async (t) => {
    const server = await serverWith(t, 'resourcequotas', {
      metadata: { name: 'q' },
      spec: { hard: { pods: '1' } },
    });
    await server.call('POST', PODS, { body: podOf('a') });
    await server.call('PATCH', `${PODS}/a/status`, {
      type: 'application/merge-patch+json',
      body: { status: { phase: 'Succeeded' } },
    });
    assert.equal((await server.call('POST', PODS, { body: podOf('b') })).status, 201);
  });

  it('count any kind by its name and group', async (t) => {
    const quota = { metadata: { name: 'q' }, spec: { hard: { 'count/configmaps': '0' } } };
    const server = await serverWith(t, 'resourcequotas', quota);
    const answer = await server.call('POST', '/api/v1/namespaces/default/configmaps', {
      body: { metadata: { name: 'a' } },
    });
    assert.equal(
      answer.body.message,
      'configmaps "a" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=0, limited: count/configmaps=0',
    );
  });

  it('with scopes are about some pods only', async (t) => {
    const table: readonly (readonly [string, Json, Json, Json])[] = [
      ['best', { scopes: ['BestEffort'] }, {}, { resources: { requests: { cpu: '1m' } } }],
      ['better', { scopes: ['NotBestEffort'] }, { resources: { limits: { memory: '1Mi' } } }, {}],
    ];
    for (const [name, scope, inside, outside] of table) {
      const spec = { hard: { pods: '1' }, ...scope };
      const server = await serverWith(t, 'resourcequotas', { metadata: { name }, spec });
      const create = async (pod: string, container: Json) => {
        const containers = [{ name: 'main', image: 'app:1', ...container }];
        const answer = await server.call('POST', PODS, { body: podOf(pod, { containers }) });
        return answer.status;
      };
      assert.deepEqual(
        [await create('a', outside), await create('b', inside), await create('c', outside)],
        [201, 201, 201],
        name,
      );
      assert.equal(await create('d', inside), 403, name);
      await new Promise((resolve) => setImmediate(resolve));
      const read = await server.call('GET', `/api/v1/namespaces/default/resourcequotas/${name}`);
      assert.deepEqual(read.body.status, { hard: { pods: '1' }, used: { pods: '1' } });
    }
  });

  it('count what pods, services and claims are, and other kinds from the first quota on that names them', async (t) => {
    const hard = {
      'count/pods': '9',
      'services.nodeports': '9',
      'requests.storage': '9Gi',
      'fast.storageclass.storage.k8s.io/requests.storage': '9Gi',
      'count/deployments.apps': '9',
    };
    const server = await serverWith(t, 'resourcequotas', { metadata: { name: 'q' }, spec: { hard } });
    const create = async (path: string, body: Json) => {
      const answer = await server.call('POST', path, { body });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
    };
    const core = '/api/v1/namespaces/default';
    await create(PODS, podOf('a'));
    await server.call('PATCH', `${PODS}/a/status`, {
      type: 'application/merge-patch+json',
      body: { status: { phase: 'Failed' } },
    });
    const ports = [
      { name: 'a', port: 1 },
      { name: 'b', port: 2 },
    ];
    await create(`${core}/services`, { metadata: { name: 's' }, spec: { type: 'NodePort', ports } });
    await create(`${core}/persistentvolumeclaims`, {
      metadata: { name: 'c' },
      spec: {
        storageClassName: 'fast',
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '2Gi' } },
      },
    });
    await create('/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { app: 'd' } },
        template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    await new Promise((resolve) => setImmediate(resolve));
    const read = await server.call('GET', `${core}/resourcequotas/q`);
    assert.deepEqual(valueAt(read.body, 'status', 'used'), {
      'count/pods': '1',
      'services.nodeports': '2',
      'requests.storage': '2Gi',
      'fast.storageclass.storage.k8s.io/requests.storage': '2Gi',
      'count/deployments.apps': '1',
    });
  });
});

describe('limit ranges', () => {
  const range = {
    metadata: { name: 'r' },
    spec: {
      limits: [
        { type: 'Container', max: { cpu: '1' }, defaultRequest: { cpu: '100m' }, default: { cpu: '200m' } },
      ],
    },
  };

  it('give containers their defaults', async (t) => {
    const server = await serverWith(t, 'limitranges', range);
    const pod = await server.call('POST', PODS, { body: podOf('a') });
    const [container] = asObjects(valueAt(pod.body, 'spec', 'containers'));
    assert.deepEqual(container?.resources, { limits: { cpu: '200m' }, requests: { cpu: '100m' } });
  });

  it('refuse containers beyond their bounds', async (t) => {
    const server = await serverWith(t, 'limitranges', range);
    const answer = await server.call('POST', PODS, {
      body: withResources('a', { limits: { cpu: '2' }, requests: { cpu: '1' } }),
    });
    assert.equal(
      answer.body.message,
      'pods "a" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
    );
  });
});

describe('defaults of pods', () => {
  it('are given to an update from the manifest that the pod was made from', async (t) => {
    const server = await serverWith(t, 'configmaps', { metadata: { name: 'any' } });
    const manifest = podOf('a', { serviceAccountName: 'default', automountServiceAccountToken: false });
    const made = await server.call('POST', PODS, { body: manifest });
    const changed = { ...manifest, metadata: { name: 'a', labels: { changed: 'yes' } } };
    const answer = await server.call('PUT', `${PODS}/a`, { body: changed });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(answer.body.spec, made.body.spec);
    assert.deepEqual(valueAt(answer.body, 'metadata', 'labels'), { changed: 'yes' });
  });
});

it('claims are bounded by limit ranges for claims', async (t) => {
  const limits = [{ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } }];
  const server = await serverWith(t, 'limitranges', { metadata: { name: 'r' }, spec: { limits } });
  const say = async (storage: string): Promise<unknown> => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } };
    const body = { metadata: { name: 'c' }, spec };
    const answer = await server.call('POST', '/api/v1/namespaces/default/persistentvolumeclaims', { body });
    return answer.body.message;
  };
  const refused = 'persistentvolumeclaims "c" is forbidden: ';
  assert.equal(
    await say('3Gi'),
    `${refused}maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi`,
  );
  assert.equal(
    await say('1Mi'),
    `${refused}minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi`,
  );
  assert.equal(await say('2Gi'), undefined);
});
