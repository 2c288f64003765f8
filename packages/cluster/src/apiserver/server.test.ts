import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { asJson, asObjects, type Json, valueAt } from './object.ts';
import {
  deploymentOf,
  podOf,
  startTestServer,
  type TestServer,
  withDefaultAccount,
} from './testing/test-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

function configMap(name: string, more: Json = {}): Json {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...asJson(more.metadata) },
    data: more.data ?? {},
  };
}

async function put(server: TestServer, path: string, body: Json): Promise<Json> {
  const answer = await server.call('POST', path, { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

describe('requests over TLS', () => {
  it('create, read, update and delete', async (t) => {
    const server = await startTestServer(t, { listen: true });
    const created = await server.overHttps('POST', CONFIG_MAPS, {
      body: configMap('a', { data: { k: 'v' } }),
    });
    assert.equal(created.status, 201);
    assert.equal(created.headers['content-type'], 'application/json');
    const read = await server.overHttps('GET', `${CONFIG_MAPS}/a`);
    assert.deepEqual(read.body, created.body);
    const updated = await server.overHttps('PUT', `${CONFIG_MAPS}/a`, {
      body: { ...read.body, data: { k: 'w' } },
    });
    assert.equal(updated.status, 200);
    assert.notEqual(
      valueAt(updated.body, 'metadata', 'resourceVersion'),
      valueAt(read.body, 'metadata', 'resourceVersion'),
    );
    const stale = await server.overHttps('PUT', `${CONFIG_MAPS}/a`, {
      body: { ...read.body, data: { k: 'x' } },
    });
    assert.equal(stale.status, 409);
    assert.equal(
      stale.body.message,
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    );
    const deleted = await server.overHttps('DELETE', `${CONFIG_MAPS}/a`);
    assert.deepEqual([deleted.status, deleted.body.kind, deleted.body.status], [200, 'Status', 'Success']);
    const gone = await server.overHttps('GET', `${CONFIG_MAPS}/a`);
    assert.deepEqual(gone.body, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'configmaps "a" not found',
      reason: 'NotFound',
      details: { name: 'a', kind: 'configmaps' },
      code: 404,
    });
  });

  it('write a kubeconfig that only the owner can read, and keep token and authority over a restart', async (t) => {
    const server = await startTestServer(t, { listen: true });
    const { kubeconfigPath } = server.api;
    assert.equal(statSync(kubeconfigPath).mode & 0o777, 0o600);
    assert.equal(statSync(server.dataDir).mode & 0o777, 0o700);
    const config = JSON.parse(readFileSync(kubeconfigPath, 'utf8'));
    assert.equal(config.clusters[0].cluster.server, server.api.server);
    assert.equal(config.users[0].user.token, server.api.adminToken);
    await server.api.close();
    await server.api.listen();
    const again = JSON.parse(readFileSync(kubeconfigPath, 'utf8'));
    assert.equal(
      again.clusters[0].cluster['certificate-authority-data'],
      config.clusters[0].cluster['certificate-authority-data'],
    );
  });

  it('are served on the Unix socket too', async (t) => {
    const server = await startTestServer(t, { listen: true });
    const { socketPath = '', token } = server.api.adminConfig;
    const status = await new Promise((resolve, reject) => {
      const options = {
        socketPath,
        path: '/api/v1/namespaces',
        headers: { authorization: `Bearer ${String(token?.())}` },
      };
      httpRequest(options, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    assert.equal(status, 200);
  });

  it('that are too large get 413 and a Status', async (t) => {
    const server = await startTestServer(t, { listen: true });
    const body = Buffer.alloc(3 * 1024 * 1024 + 1, 0x20);
    const answer = await server.overHttps('POST', CONFIG_MAPS, { body });
    assert.deepEqual([answer.status, answer.body.reason], [413, 'RequestEntityTooLarge']);
  });

  it('that make an object larger than etcd takes are refused in its words', async (t) => {
    const server = await startTestServer(t);
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const large = { metadata: { name: 'large' }, spec: { holderIdentity: 'x'.repeat(1_400_000) } };
    assert.equal((await server.call('POST', path, { body: large })).status, 201);
    const patched = await server.call('PATCH', `${path}/large`, {
      type: 'application/merge-patch+json',
      body: { metadata: { labels: { a: 'b' }, annotations: { a: 'x'.repeat(200_000) } } },
    });
    assert.deepEqual(
      [patched.status, patched.body.reason, patched.body.message],
      [500, undefined, 'etcdserver: request is too large'],
    );
    assert.equal(valueAt((await server.call('GET', `${path}/large`)).body, 'metadata', 'labels'), undefined);
  });

  it('that are no HTTP do not disturb others', async (t) => {
    const server = await startTestServer(t, { listen: true });
    const { socketPath = '' } = server.api.adminConfig;
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(socketPath, () => socket.write('garbage\r\n\r\n'));
      socket.on('data', (data: Buffer) => resolve(data.toString()));
      socket.on('error', reject);
    });
    assert.match(answer, /^HTTP\/1.1 400/);
    assert.equal((await server.overHttps('GET', '/readyz')).status, 200);
  });
});

describe('refusals', () => {
  const rows: readonly (readonly [
    string,
    string,
    string,
    Json | string | undefined,
    number,
    string | undefined,
    RegExp,
  ])[] = [
    [
      'no kind of that name',
      'GET',
      '/api/v1/frobs',
      undefined,
      404,
      'NotFound',
      /could not find the requested resource/,
    ],
    [
      'a namespace that does not exist',
      'POST',
      '/api/v1/namespaces/nope/configmaps',
      configMap('a'),
      404,
      'NotFound',
      /^namespaces "nope" not found$/,
    ],
    [
      'a body that is no JSON',
      'POST',
      CONFIG_MAPS,
      '{',
      400,
      'BadRequest',
      /json parse error: unexpected end of JSON input/,
    ],
    [
      'a prototype key',
      'POST',
      CONFIG_MAPS,
      '{"__proto__":{"a":1},"metadata":{"name":"a"}}',
      400,
      'BadRequest',
      /__proto__/,
    ],
    [
      'JSON that is nested too deeply',
      'POST',
      CONFIG_MAPS,
      `{"data":${'['.repeat(2000)}${']'.repeat(2000)}}`,
      400,
      'BadRequest',
      /max depth/,
    ],
    [
      'another kind',
      'POST',
      CONFIG_MAPS,
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
      400,
      'BadRequest',
      /Secret in version "v1" cannot be handled as a ConfigMap/,
    ],
    [
      'another API version',
      'POST',
      CONFIG_MAPS,
      { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } },
      400,
      'BadRequest',
      /^ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2"/,
    ],
    [
      'another namespace than that of the URL',
      'POST',
      CONFIG_MAPS,
      configMap('a', { metadata: { namespace: 'x' } }),
      400,
      'BadRequest',
      /namespace of the provided object does not match/,
    ],
    [
      'a resource version at creation',
      'POST',
      CONFIG_MAPS,
      configMap('a', { metadata: { resourceVersion: '5' } }),
      500,
      undefined,
      /resourceVersion should not be set on objects to be created/,
    ],
    [
      'no name',
      'POST',
      CONFIG_MAPS,
      { metadata: {} },
      422,
      'Invalid',
      /metadata.name: Required value: name or generateName is required/,
    ],
    [
      'a bad name',
      'POST',
      CONFIG_MAPS,
      configMap('A_b'),
      422,
      'Invalid',
      /^ConfigMap "A_b" is invalid: metadata.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain/,
    ],
    [
      'a bad label',
      'POST',
      CONFIG_MAPS,
      configMap('a', { metadata: { labels: { k: 'not ok' } } }),
      422,
      'Invalid',
      /metadata.labels: Invalid value: "not ok"/,
    ],
    [
      'a bad key of a config map',
      'POST',
      CONFIG_MAPS,
      configMap('a', { data: { 'a b': '1' } }),
      422,
      'Invalid',
      /data\[a b\]: Invalid value: "a b": a valid config key/,
    ],
    [
      'a value of the wrong type',
      'POST',
      CONFIG_MAPS,
      { metadata: { name: 'a' }, data: { a: 1 } },
      400,
      'BadRequest',
      /^ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string$/,
    ],
    [
      'a DELETE of a namespace that has to stay',
      'DELETE',
      '/api/v1/namespaces/default',
      undefined,
      403,
      'Forbidden',
      /this namespace may not be deleted/,
    ],
    [
      'an unknown dry run',
      'POST',
      `${CONFIG_MAPS}?dryRun=Some`,
      configMap('a'),
      422,
      'Invalid',
      /dryRun: Unsupported value/,
    ],
    [
      'a PUT of something that is not there',
      'PUT',
      `${CONFIG_MAPS}/nope`,
      configMap('nope'),
      404,
      'NotFound',
      /^configmaps "nope" not found$/,
    ],
    [
      'a POST to an object',
      'POST',
      `${CONFIG_MAPS}/a`,
      configMap('a'),
      405,
      'MethodNotAllowed',
      /does not allow this method/,
    ],
    [
      'a bad label selector',
      'GET',
      `${CONFIG_MAPS}?labelSelector=a%3D%3D%3Db`,
      undefined,
      400,
      'BadRequest',
      /unable to parse|found/,
    ],
    [
      'a field that cannot be selected',
      'GET',
      `${PODS}?fieldSelector=spec.nope%3Dx`,
      undefined,
      400,
      'BadRequest',
      /field label not supported: spec.nope/,
    ],
    [
      'a bad continue token',
      'GET',
      `${CONFIG_MAPS}?limit=1&continue=x`,
      undefined,
      400,
      'BadRequest',
      /continue key is not valid/,
    ],
    [
      'a resource version of the future',
      'GET',
      `${CONFIG_MAPS}?resourceVersion=999999`,
      undefined,
      504,
      'Timeout',
      /Too large resource version: 999999/,
    ],
    [
      'a status of a kind without one',
      'GET',
      `${CONFIG_MAPS}/a/status`,
      undefined,
      404,
      'NotFound',
      /could not find/,
    ],
  ];
  for (const [name, method, path, body, code, reason, message] of rows) {
    it(name, async (t) => {
      const server = await startTestServer(t);
      const answer = await server.call(method, path, body === undefined ? {} : { body });
      assert.deepEqual([answer.status, answer.body.reason, answer.body.code], [code, reason, code]);
      assert.equal(answer.body.kind, 'Status');
      assert.match(String(answer.body.message), message);
    });
  }

  it('names every problem with its field in the causes', async (t) => {
    const server = await startTestServer(t);
    await withDefaultAccount(server);
    const answer = await server.call('POST', PODS, {
      body: podOf('p', {
        containers: [
          { name: 'A' },
          { name: 'b', image: 'x', volumeMounts: [{ name: 'v', mountPath: '/x' }] },
        ],
      }),
    });
    assert.equal(answer.status, 422);
    assert.deepEqual(
      asObjects(asJson(answer.body.details).causes).map(({ reason, field }) => [reason, field]),
      [
        ['FieldValueInvalid', 'spec.containers[0].name'],
        ['FieldValueRequired', 'spec.containers[0].image'],
        ['FieldValueNotFound', 'spec.containers[1].volumeMounts[0].name'],
      ],
    );
  });

  it('of unknown fields: strict, warned, ignored', async (t) => {
    const server = await startTestServer(t);
    const body = { ...configMap('a'), dta: { k: 'v' } };
    const strict = await server.call('POST', `${CONFIG_MAPS}?fieldValidation=Strict`, { body });
    assert.equal(strict.status, 400);
    assert.match(String(strict.body.message), /strict decoding error: unknown field "dta"/);
    const warned = await server.call('POST', CONFIG_MAPS, { body });
    assert.deepEqual([warned.status, warned.headers.warning], [201, '299 - "unknown field \\"dta\\""']);
    assert.equal(warned.body.dta, undefined);
    const ignored = await server.call('PUT', `${CONFIG_MAPS}/a?fieldValidation=Ignore`, { body });
    assert.deepEqual([ignored.status, ignored.headers.warning], [200, undefined]);
  });
});

describe('creation', () => {
  it('sets what the server decides and drops what a client may not say', async (t) => {
    const server = await startTestServer(t);
    const { metadata } = await put(
      server,
      CONFIG_MAPS,
      configMap('a', {
        metadata: {
          uid: 'mine',
          deletionGracePeriodSeconds: 3,
          creationTimestamp: '2020-01-01T00:00:00Z',
          deletionTimestamp: '2020-01-01T00:00:00Z',
          selfLink: '/x',
        },
      }),
    );
    const { uid, creationTimestamp, ...rest } = asJson(metadata);
    assert.match(String(uid), /^[\da-f]{8}-[\da-f]{4}-4/);
    assert.match(String(creationTimestamp), /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.notEqual(creationTimestamp, '2020-01-01T00:00:00Z');
    assert.deepEqual(rest, {
      name: 'a',
      namespace: 'default',
      resourceVersion: String(server.api.store.revision),
    });
  });

  it('makes names from generateName', async (t) => {
    const server = await startTestServer(t);
    const { metadata } = await put(server, CONFIG_MAPS, { metadata: { generateName: 'web-' } });
    assert.match(String(asJson(metadata).name), /^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('stores nothing in a dry run, and answers as if it had', async (t) => {
    const server = await startTestServer(t);
    const answer = await server.call('POST', `${CONFIG_MAPS}?dryRun=All`, { body: configMap('a') });
    assert.equal(answer.status, 201);
    assert.equal(valueAt(answer.body, 'metadata', 'resourceVersion'), undefined);
    assert.equal((await server.call('GET', `${CONFIG_MAPS}/a`)).status, 404);
  });

  it('refuses a second object of the same name', async (t) => {
    const server = await startTestServer(t);
    await put(server, CONFIG_MAPS, configMap('a'));
    const answer = await server.call('POST', CONFIG_MAPS, { body: configMap('a') });
    assert.deepEqual(
      [answer.status, answer.body.reason, answer.body.message],
      [409, 'AlreadyExists', 'configmaps "a" already exists'],
    );
  });

  it('gives a secret its data from stringData and its type', async (t) => {
    const server = await startTestServer(t);
    const secret = await put(server, '/api/v1/namespaces/default/secrets', {
      metadata: { name: 's' },
      stringData: { a: 'b' },
    });
    assert.deepEqual([secret.data, secret.stringData, secret.type], [{ a: 'Yg==' }, undefined, 'Opaque']);
  });

  it('gives a service an address of its own', async (t) => {
    const server = await startTestServer(t, { serviceCidr: '10.42.0.0/24' });
    const path = '/api/v1/namespaces/default/services';
    const addresses = [];
    for (const name of ['a', 'b']) {
      const service = await put(server, path, { metadata: { name }, spec: { ports: [{ port: 80 }] } });
      assert.deepEqual(asObjects(valueAt(service, 'spec', 'ports')), [
        { port: 80, protocol: 'TCP', targetPort: 80 },
      ]);
      addresses.push(valueAt(service, 'spec', 'clusterIP'));
    }
    assert.deepEqual(addresses, ['10.42.0.2', '10.42.0.3']);
    const headless = await put(server, path, { metadata: { name: 'h' }, spec: { clusterIP: 'None' } });
    assert.deepEqual(valueAt(headless, 'spec', 'clusterIPs'), ['None']);
  });
});

describe('updates', () => {
  it('that change nothing keep the resource version', async (t) => {
    const server = await startTestServer(t);
    const created = await put(server, DEPLOYMENTS, deploymentOf('web'));
    const same = await server.call('PUT', `${DEPLOYMENTS}/web`, { body: created });
    assert.deepEqual(same.body, created);
    const patched = await server.call('PATCH', `${DEPLOYMENTS}/web`, {
      type: 'application/merge-patch+json',
      body: { spec: { replicas: 2 } },
    });
    assert.deepEqual(patched.body, created);
  });

  it('count the generation when the specification changes, and only then', async (t) => {
    const server = await startTestServer(t);
    await put(server, DEPLOYMENTS, deploymentOf('web'));
    const patch = async (path: string, body: Json): Promise<unknown> => {
      const answer = await server.call('PATCH', path, { type: 'application/merge-patch+json', body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return valueAt(answer.body, 'metadata', 'generation');
    };
    assert.equal(await patch(`${DEPLOYMENTS}/web`, { spec: { replicas: 3 } }), 2);
    assert.equal(await patch(`${DEPLOYMENTS}/web`, { metadata: { labels: { a: 'b' } } }), 2);
    assert.equal(await patch(`${DEPLOYMENTS}/web/status`, { status: { replicas: 1 } }), 2);
  });

  it('of the object leave status alone, and of status everything else', async (t) => {
    const server = await startTestServer(t);
    await put(server, DEPLOYMENTS, deploymentOf('web'));
    const body = { status: { replicas: 5 }, spec: { replicas: 9 } };
    const main = await server.call('PATCH', `${DEPLOYMENTS}/web`, {
      type: 'application/merge-patch+json',
      body,
    });
    assert.deepEqual(
      [valueAt(main.body, 'spec', 'replicas'), valueAt(main.body, 'status', 'replicas')],
      [9, undefined],
    );
    const status = await server.call('PATCH', `${DEPLOYMENTS}/web/status`, {
      type: 'application/merge-patch+json',
      body: { status: { replicas: 5 }, spec: { replicas: 1 }, metadata: { labels: { no: 'no' } } },
    });
    assert.deepEqual(
      [valueAt(status.body, 'spec', 'replicas'), valueAt(status.body, 'status', 'replicas')],
      [9, 5],
    );
    assert.equal(valueAt(status.body, 'metadata', 'labels'), undefined);
  });

  it('refuse what cannot change', async (t) => {
    const server = await startTestServer(t);
    await withDefaultAccount(server);
    await put(server, DEPLOYMENTS, deploymentOf('web'));
    const selector = await server.call('PATCH', `${DEPLOYMENTS}/web`, {
      type: 'application/merge-patch+json',
      body: {
        spec: { selector: { matchLabels: { x: 'y' } }, template: { metadata: { labels: { x: 'y' } } } },
      },
    });
    assert.match(String(selector.body.message), /spec.selector: Invalid value: .*: field is immutable/);
    await put(server, PODS, podOf('p'));
    const pod = await server.call('PATCH', `${PODS}/p`, {
      type: 'application/merge-patch+json',
      body: { spec: { hostNetwork: true } },
    });
    assert.match(
      String(pod.body.message),
      /^Pod "p" is invalid: spec: Forbidden: pod updates may not change fields other than/,
    );
    const image = await server.call('PATCH', `${PODS}/p`, {
      type: 'application/strategic-merge-patch+json',
      body: { spec: { containers: [{ name: 'main', image: 'app:2' }] } },
    });
    assert.equal(image.status, 200);
  });

  it('with a wrong uid are conflicts', async (t) => {
    const server = await startTestServer(t);
    await put(server, CONFIG_MAPS, configMap('a'));
    const answer = await server.call('PUT', `${CONFIG_MAPS}/a`, {
      body: configMap('a', { metadata: { uid: 'other' } }),
    });
    assert.equal(answer.status, 409);
    assert.match(String(answer.body.message), /Precondition failed: UID in precondition: other/);
  });

  it('with a patch type that is not served get 415', async (t) => {
    const server = await startTestServer(t);
    await put(server, CONFIG_MAPS, configMap('a'));
    const answer = await server.call('PATCH', `${CONFIG_MAPS}/a`, { type: 'application/json', body: {} });
    assert.deepEqual([answer.status, answer.body.reason], [415, 'UnsupportedMediaType']);
  });
});

describe('deletion', () => {
  it('waits for finalizers, and takes the object with the last one', async (t) => {
    const server = await startTestServer(t);
    await put(server, CONFIG_MAPS, configMap('a', { metadata: { finalizers: ['x.io/f'] } }));
    const begun = await server.call('DELETE', `${CONFIG_MAPS}/a`);
    assert.equal(begun.body.kind, 'ConfigMap');
    assert.ok(valueAt(begun.body, 'metadata', 'deletionTimestamp'));
    const added = await server.call('PATCH', `${CONFIG_MAPS}/a`, {
      type: 'application/merge-patch+json',
      body: { metadata: { finalizers: ['x.io/f', 'y.io/g'] } },
    });
    assert.match(
      String(added.body.message),
      /no new finalizers can be added if the object is being deleted, found new finalizers \[\]string\{"y.io\/g"\}/,
    );
    const last = await server.call('PATCH', `${CONFIG_MAPS}/a`, {
      type: 'application/merge-patch+json',
      body: { metadata: { finalizers: null } },
    });
    assert.equal(last.status, 200);
    assert.equal((await server.call('GET', `${CONFIG_MAPS}/a`)).status, 404);
  });

  for (const [name, body, finalizers] of [
    ['foreground', { propagationPolicy: 'Foreground' }, ['foregroundDeletion']],
    ['orphan', { propagationPolicy: 'Orphan' }, ['orphan']],
    ['the old orphan option', { orphanDependents: true }, ['orphan']],
  ] as const) {
    it(`${name} is left to the garbage collector by a finalizer`, async (t) => {
      const server = await startTestServer(t);
      await put(server, CONFIG_MAPS, configMap('a'));
      const answer = await server.call('DELETE', `${CONFIG_MAPS}/a`, { body });
      assert.deepEqual(valueAt(answer.body, 'metadata', 'finalizers'), finalizers);
    });
  }

  it('honours preconditions', async (t) => {
    const server = await startTestServer(t);
    await put(server, CONFIG_MAPS, configMap('a'));
    const answer = await server.call('DELETE', `${CONFIG_MAPS}/a`, {
      body: { preconditions: { uid: 'other' } },
    });
    assert.equal(answer.status, 409);
    assert.match(
      String(answer.body.message),
      /^Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition \(other\) does not match the UID in record/,
    );
  });

  it('of pods gives them their grace once they run, shortens it on demand and never lengthens it', async (t) => {
    const server = await startTestServer(t);
    await withDefaultAccount(server);
    await put(server, PODS, podOf('p', { nodeName: 'n', terminationGracePeriodSeconds: 20 }));
    const grace = async (body: Json): Promise<unknown> => {
      const answer = await server.call('DELETE', `${PODS}/p`, { body });
      assert.equal(answer.status, 200);
      return valueAt(answer.body, 'metadata', 'deletionGracePeriodSeconds');
    };
    assert.equal(await grace({}), 20);
    assert.equal(await grace({ gracePeriodSeconds: 40 }), 20);
    assert.equal(await grace({ gracePeriodSeconds: 5 }), 5);
    await grace({ gracePeriodSeconds: 0 });
    assert.equal((await server.call('GET', `${PODS}/p`)).status, 404);
  });

  it('of pods that no agent runs is at once', async (t) => {
    const server = await startTestServer(t);
    await withDefaultAccount(server);
    await put(server, PODS, podOf('p'));
    const answer = await server.call('DELETE', `${PODS}/p`);
    assert.equal(answer.body.kind, 'Pod');
    assert.equal((await server.call('GET', `${PODS}/p`)).status, 404);
  });

  it('of a collection takes what is selected', async (t) => {
    const server = await startTestServer(t);
    for (const name of ['a', 'b', 'c']) {
      await put(
        server,
        CONFIG_MAPS,
        configMap(name, { metadata: { labels: { keep: String(name === 'b') } } }),
      );
    }
    const answer = await server.call('DELETE', `${CONFIG_MAPS}?labelSelector=keep%3Dfalse`);
    assert.deepEqual(
      asObjects(answer.body.items).map(({ metadata }) => asJson(metadata).name),
      ['a', 'c'],
    );
    const left = await server.call('GET', CONFIG_MAPS);
    assert.deepEqual(
      asObjects(left.body.items).map(({ metadata }) => asJson(metadata).name),
      ['b'],
    );
  });

  it('of a namespace waits for its content and refuses new content', async (t) => {
    const server = await startTestServer(t);
    await put(server, '/api/v1/namespaces', { metadata: { name: 'n' } });
    const begun = await server.call('DELETE', '/api/v1/namespaces/n');
    assert.equal(valueAt(begun.body, 'status', 'phase'), 'Terminating');
    const refused = await server.call('POST', '/api/v1/namespaces/n/configmaps', { body: configMap('a') });
    assert.equal(refused.status, 403);
    assert.equal(
      refused.body.message,
      'configmaps "a" is forbidden: unable to create new content in namespace n because it is being terminated',
    );
    const done = await server.call('PUT', '/api/v1/namespaces/n/finalize', {
      body: { metadata: { name: 'n' }, spec: {} },
    });
    assert.equal(done.status, 200);
    assert.equal((await server.call('GET', '/api/v1/namespaces/n')).status, 404);
  });
});

describe('lists', () => {
  it('come in pages of one snapshot', async (t) => {
    const server = await startTestServer(t);
    for (const name of ['a', 'b', 'c', 'd']) await put(server, CONFIG_MAPS, configMap(name));
    const first = await server.call('GET', `${CONFIG_MAPS}?limit=2`);
    const metadata = asJson(first.body.metadata);
    assert.equal(metadata.remainingItemCount, 2);
    await server.call('DELETE', `${CONFIG_MAPS}/c`);
    await put(server, CONFIG_MAPS, configMap('bb'));
    const second = await server.call('GET', `${CONFIG_MAPS}?limit=2&continue=${String(metadata.continue)}`);
    assert.deepEqual(
      asObjects(second.body.items).map((item) => valueAt(item, 'metadata', 'name')),
      ['c', 'd'],
    );
    assert.equal(valueAt(second.body, 'metadata', 'resourceVersion'), metadata.resourceVersion);
    server.api.store.compact();
    const late = await server.call('GET', `${CONFIG_MAPS}?limit=2&continue=${String(metadata.continue)}`);
    assert.deepEqual([late.status, late.body.reason], [410, 'Expired']);
  });

  for (const [query, names] of [
    ['labelSelector=app%3Dx', ['a', 'b']],
    ['labelSelector=app+in+(x,y),!tier', ['a', 'c']],
    ['labelSelector=app!%3Dx', ['c', 'd']],
    ['fieldSelector=metadata.name%3Dc', ['c']],
    ['fieldSelector=metadata.name!%3Dc', ['a', 'b', 'd']],
  ] as const) {
    it(`select by ${query}`, async (t) => {
      const server = await startTestServer(t);
      const labels: Readonly<Record<string, Json>> = {
        a: { app: 'x' },
        b: { app: 'x', tier: 't' },
        c: { app: 'y' },
        d: {},
      };
      for (const [name, own] of Object.entries(labels))
        await put(server, CONFIG_MAPS, configMap(name, { metadata: { labels: own } }));
      const answer = await server.call('GET', `${CONFIG_MAPS}?${query}`);
      assert.deepEqual(
        asObjects(answer.body.items).map((item) => valueAt(item, 'metadata', 'name')),
        names,
      );
    });
  }

  it('are Tables for those who ask, and metadata for others', async (t) => {
    const server = await startTestServer(t);
    await withDefaultAccount(server);
    await put(server, PODS, podOf('p'));
    const table = await server.call('GET', PODS, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' },
    });
    assert.equal(table.body.kind, 'Table');
    assert.deepEqual(
      asObjects(table.body.columnDefinitions)
        .filter(({ priority }) => priority === 0)
        .map(({ name }) => name),
      ['Name', 'Ready', 'Status', 'Restarts', 'Age'],
    );
    assert.deepEqual(
      asObjects(table.body.rows).map(({ cells }) => (Array.isArray(cells) ? cells.slice(0, 4) : [])),
      [['p', '0/1', 'Pending', '0']],
    );
    const partial = await server.call('GET', PODS, {
      headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
    });
    assert.equal(partial.body.kind, 'PartialObjectMetadataList');
    assert.equal(asObjects(partial.body.items)[0]?.spec, undefined);
  });
});

describe('subresources', () => {
  it('scale reads and writes replicas', async (t) => {
    const server = await startTestServer(t);
    await put(server, DEPLOYMENTS, deploymentOf('web'));
    const scale = await server.call('GET', `${DEPLOYMENTS}/web/scale`);
    assert.deepEqual(
      [scale.body.kind, scale.body.spec, scale.body.status],
      ['Scale', { replicas: 2 }, { replicas: 0, selector: 'app=web' }],
    );
    const scaled = await server.call('PATCH', `${DEPLOYMENTS}/web/scale`, {
      type: 'application/merge-patch+json',
      body: { spec: { replicas: 4 } },
    });
    assert.deepEqual(scaled.body.spec, { replicas: 4 });
    const negative = await server.call('PUT', `${DEPLOYMENTS}/web/scale`, {
      body: { metadata: { name: 'web' }, spec: { replicas: -1 } },
    });
    assert.equal(negative.status, 422);
    for (const [as, kind] of [
      ['PartialObjectMetadata', 'PartialObjectMetadata'],
      ['Table', 'Table'],
    ]) {
      const accept = `application/json;as=${as};g=meta.k8s.io;v=v1`;
      const shown = await server.call('GET', `${DEPLOYMENTS}/web/scale`, { headers: { accept } });
      assert.deepEqual([shown.status, shown.body.kind, shown.body.apiVersion], [200, kind, 'meta.k8s.io/v1']);
    }
  });

  it('binding assigns a pod once', async (t) => {
    const server = await startTestServer(t);
    await withDefaultAccount(server);
    await put(server, PODS, podOf('p'));
    const binding = { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n1' } };
    assert.equal((await server.call('POST', `${PODS}/p/binding`, { body: binding })).status, 201);
    const pod = await server.call('GET', `${PODS}/p`);
    assert.equal(valueAt(pod.body, 'spec', 'nodeName'), 'n1');
    const again = await server.call('POST', '/api/v1/namespaces/default/bindings', { body: binding });
    assert.equal(
      again.body.message,
      'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
    );
  });

  it('eviction asks the disruption budget', async (t) => {
    const server = await startTestServer(t);
    await withDefaultAccount(server);
    await put(server, PODS, {
      ...podOf('p', { nodeName: 'n', terminationGracePeriodSeconds: 0 }),
      metadata: { name: 'p', labels: { a: 'b' } },
    });
    await server.call('PATCH', `${PODS}/p/status`, {
      type: 'application/merge-patch+json',
      body: { status: { phase: 'Running' } },
    });
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    await put(server, budgets, {
      metadata: { name: 'b' },
      spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } },
    });
    const evict = (): ReturnType<TestServer['call']> =>
      server.call('POST', `${PODS}/p/eviction`, { body: { metadata: { name: 'p' } } });
    const unknown = await evict();
    assert.match(JSON.stringify(unknown.body.details), /is still being processed by the server/);
    const status = (disruptionsAllowed: number): ReturnType<TestServer['call']> =>
      server.call('PATCH', `${budgets}/b/status`, {
        type: 'application/merge-patch+json',
        body: {
          status: {
            observedGeneration: 1,
            disruptionsAllowed,
            desiredHealthy: 1,
            currentHealthy: 1,
            expectedPods: 1,
          },
        },
      });
    await status(0);
    const refused = await evict();
    assert.equal(refused.status, 429);
    assert.equal(refused.body.message, "Cannot evict pod as it would violate the pod's disruption budget.");
    await status(1);
    assert.equal((await evict()).status, 201);
    assert.equal(valueAt((await server.call('GET', `${budgets}/b`)).body, 'status', 'disruptionsAllowed'), 0);
  });

  it('log comes from the registered source', async (t) => {
    const server = await startTestServer(t, { listen: true });
    await withDefaultAccount(server);
    await put(server, PODS, podOf('p', { nodeName: 'n' }));
    server.api.setPodLogSource({
      async *logs(pod, request) {
        yield Buffer.from(`${pod.metadata.name} ${JSON.stringify(request)}\n`);
      },
    });
    const answer = await server.overHttps('GET', `${PODS}/p/log?tailLines=3&timestamps=true`);
    assert.equal(
      answer.body.text,
      'p {"container":"main","follow":false,"previous":false,"timestamps":true,"tailLines":3}\n',
    );
    const other = await server.overHttps('GET', `${PODS}/p/log?container=nope`);
    assert.equal(other.body.message, 'container nope is not valid for pod p');
  });
});

describe('component statuses', () => {
  it('show the parts of the control plane, and that they are deprecated', async (t) => {
    const server = await startTestServer(t);
    server.api.addComponent('scheduler');
    const path = '/api/v1/componentstatuses';
    const list = await server.call('GET', path);
    assert.equal(list.headers.warning, '299 - "v1 ComponentStatus is deprecated in v1.19+"');
    assert.deepEqual(
      asObjects(list.body.items).map(({ metadata, conditions }) => [asJson(metadata).name, conditions]),
      ['etcd-0', 'scheduler'].map((name) => [name, [{ type: 'Healthy', status: 'True', message: 'ok' }]]),
    );
    const table = await server.call('GET', `${path}/scheduler`, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    assert.deepEqual(asObjects(table.body.rows)[0]?.cells, ['scheduler', 'Healthy', 'ok', '']);
    assert.equal((await server.call('GET', `${path}/none`)).status, 404);
    assert.equal((await server.call('POST', path, { body: { metadata: { name: 'x' } } })).status, 405);
  });
});

describe('events', () => {
  it('are the same objects in both groups', async (t) => {
    const server = await startTestServer(t);
    await put(server, '/api/v1/namespaces/default/events', {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
      reason: 'Started',
      message: 'it runs',
      type: 'Normal',
      count: 2,
    });
    const found = await server.call('GET', '/apis/events.k8s.io/v1/namespaces/default/events/e');
    assert.deepEqual(
      [
        found.body.apiVersion,
        found.body.note,
        valueAt(found.body, 'regarding', 'name'),
        found.body.deprecatedCount,
        found.body.message,
      ],
      ['events.k8s.io/v1', 'it runs', 'p', 2, undefined],
    );
    const selected = await server.call(
      'GET',
      '/api/v1/events?fieldSelector=involvedObject.name%3Dp,reason%3DStarted',
    );
    assert.equal(asObjects(selected.body.items).length, 1);
  });
});
