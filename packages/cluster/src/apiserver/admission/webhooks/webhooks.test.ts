import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { asJson, asObjects, type Json, valueAt } from '../../object.ts';
import {
  type AdmissionWebhook,
  patching,
  type Respond,
  startAdmissionWebhook,
} from '../../testing/admission-webhook.ts';
import {
  deploymentOf,
  podOf,
  startTestServer,
  type TestServer,
  withDefaultAccount,
} from '../../testing/test-server.ts';
import { addressOfService } from './call.ts';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const ALLOWED = { allowed: true };

interface Configured extends Json {
  /** Resources to be asked about. @default configmaps */
  readonly resources?: readonly string[];
  readonly groups?: readonly string[];
  readonly versions?: readonly string[];
}

async function register(
  server: TestServer,
  phase: 'mutating' | 'validating',
  name: string,
  webhook: Pick<AdmissionWebhook, 'caBundle' | 'url'>,
  { resources = ['configmaps'], groups = ['*'], versions = ['*'], ...more }: Configured = {},
): Promise<void> {
  const answer = await server.call('POST', `${CONFIGURATIONS}/${phase}webhookconfigurations`, {
    body: {
      metadata: { name },
      webhooks: [
        {
          name: `${name}.example.com`,
          clientConfig: { url: webhook.url, caBundle: webhook.caBundle },
          rules: [{ operations: ['*'], apiGroups: groups, apiVersions: versions, resources }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          ...more,
        },
      ],
    },
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
}

async function start(
  t: TestContext,
  respond: Respond,
): Promise<{ server: TestServer; webhook: AdmissionWebhook }> {
  const server = await startTestServer(t);
  await withDefaultAccount(server);
  return { server, webhook: await startAdmissionWebhook(t, respond) };
}

const map = (name: string, more: Json = {}): Json => ({ metadata: { name, ...more } });

describe('a validating webhook', () => {
  it('refuses with its own words and code', async (t) => {
    const table: readonly (readonly [Json, number, string, string | undefined])[] = [
      [{ message: 'too blue', code: 403, reason: 'Forbidden' }, 403, ': too blue', 'Forbidden'],
      [{ reason: 'Gone' }, 400, ': Gone', 'Gone'],
      [{ message: 'odd', code: 200 }, 400, ': odd', undefined],
      [{}, 400, ' without explanation', undefined],
    ];
    for (const [status, code, words, reason] of table) {
      const { server, webhook } = await start(t, () => ({ allowed: false, status }));
      await register(server, 'validating', 'no', webhook);
      const answer = await server.call('POST', MAPS, { body: map('a') });
      assert.equal(answer.status, code);
      assert.equal(answer.body.message, `admission webhook "no.example.com" denied the request${words}`);
      assert.equal(answer.body.reason, reason);
      assert.equal((await server.call('GET', `${MAPS}/a`)).status, 404);
    }
  });

  it('gets user, operation and object, which is then stored like that', async (t) => {
    const { server, webhook } = await start(t, () => ALLOWED);
    await register(server, 'validating', 'look', webhook);
    const made = await server.call('POST', `${MAPS}?fieldManager=me`, {
      body: { metadata: { generateName: 'a-' }, data: { key: '1' } },
    });
    const [request = {}] = webhook.asked;
    assert.deepEqual(request.resource, { group: '', version: 'v1', resource: 'configmaps' });
    assert.deepEqual(request.kind, { group: '', version: 'v1', kind: 'ConfigMap' });
    assert.deepEqual(
      [request.operation, request.namespace, request.name, request.dryRun, request.oldObject],
      ['CREATE', 'default', valueAt(made.body, 'metadata', 'name'), false, null],
    );
    assert.deepEqual(request.options, {
      kind: 'CreateOptions',
      apiVersion: 'meta.k8s.io/v1',
      fieldManager: 'me',
    });
    assert.deepEqual(valueAt(request, 'userInfo', 'groups'), ['system:masters', 'system:authenticated']);
    const metadata = { ...asJson(made.body.metadata) };
    delete metadata.resourceVersion;
    assert.deepEqual(request.object, { ...made.body, metadata });
  });

  it('sees both states of an update, and the last one of a deletion', async (t) => {
    const { server, webhook } = await start(t, () => ALLOWED);
    await server.call('POST', MAPS, { body: { ...map('a'), data: { key: '1' } } });
    await register(server, 'validating', 'look', webhook);
    const patch = { type: 'application/merge-patch+json', body: { data: { key: '2' } } };
    assert.equal((await server.call('PATCH', `${MAPS}/a`, patch)).status, 200);
    assert.equal((await server.call('DELETE', `${MAPS}/a`)).status, 200);
    const seen = webhook.asked.map((request) => [
      request.operation,
      valueAt(request, 'oldObject', 'data', 'key'),
      valueAt(request, 'object', 'data', 'key'),
      valueAt(request, 'options', 'kind'),
    ]);
    assert.deepEqual(seen, [
      ['UPDATE', '1', '2', 'PatchOptions'],
      ['DELETE', '2', undefined, 'DeleteOptions'],
    ]);
  });

  it('is asked about each object of a collection that is deleted', async (t) => {
    const { server, webhook } = await start(t, ({ name }) =>
      name === 'b' ? { allowed: false, status: { message: 'not b' } } : ALLOWED,
    );
    for (const name of ['a', 'b', 'c']) await server.call('POST', MAPS, { body: map(name) });
    await register(server, 'validating', 'keep', webhook);
    const answer = await server.call('DELETE', MAPS);
    assert.equal(answer.body.message, 'admission webhook "keep.example.com" denied the request: not b');
    const left = asObjects((await server.call('GET', MAPS)).body.items);
    assert.deepEqual(
      left.map((item) => valueAt(item, 'metadata', 'name')),
      ['b', 'c'],
    );
  });

  it('warns the client', async (t) => {
    const { server, webhook } = await start(t, () => ({ ...ALLOWED, warnings: ['old fashion'] }));
    await register(server, 'validating', 'warn', webhook);
    const answer = await server.call('POST', MAPS, { body: { ...map('a'), odd: 1 } });
    assert.equal(answer.headers.warning, '299 - "unknown field \\"odd\\"", 299 - "old fashion"');
  });

  it('warns in the order of the configurations, whoever answers first', async (t) => {
    const server = await startTestServer(t);
    const second = Promise.withResolvers<void>();
    const slow = await startAdmissionWebhook(t, async () => {
      await second.promise;
      return { ...ALLOWED, warnings: ['first'] };
    });
    const fast = await startAdmissionWebhook(t, () => {
      second.resolve();
      return { ...ALLOWED, warnings: ['second'] };
    });
    await register(server, 'validating', 'a', slow);
    await register(server, 'validating', 'b', fast);
    const answer = await server.call('POST', MAPS, { body: map('a') });
    assert.equal(answer.headers.warning, '299 - "first", 299 - "second"');
  });

  it('is asked about a dry run, which stores nothing', async (t) => {
    const { server, webhook } = await start(t, () => ALLOWED);
    await register(server, 'validating', 'dry', webhook);
    assert.equal((await server.call('POST', `${MAPS}?dryRun=All`, { body: map('a') })).status, 201);
    assert.deepEqual(
      webhook.asked.map(({ dryRun }) => dryRun),
      [true],
    );
    assert.equal((await server.call('GET', `${MAPS}/a`)).status, 404);
  });

  it('judges a scale and an eviction as what they are', async (t) => {
    const { server, webhook } = await start(t, ({ subResource }) =>
      subResource === 'eviction' ? { allowed: false, status: { message: 'stays' } } : ALLOWED,
    );
    await server.call('POST', DEPLOYMENTS, { body: deploymentOf('web') });
    await server.call('POST', PODS, { body: podOf('a') });
    await register(server, 'validating', 'acts', webhook, { resources: ['deployments/scale', 'pods/*'] });
    const type = 'application/merge-patch+json';
    const scaled = await server.call('PATCH', `${DEPLOYMENTS}/web/scale`, {
      type,
      body: { spec: { replicas: 5 } },
    });
    assert.equal(scaled.status, 200, JSON.stringify(scaled.body));
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } };
    const evicted = await server.call('POST', `${PODS}/a/eviction`, { body: eviction });
    assert.equal(evicted.body.message, 'admission webhook "acts.example.com" denied the request: stays');
    assert.equal((await server.call('GET', `${PODS}/a`)).status, 200);
    const seen = webhook.asked.map((request) => [
      request.operation,
      valueAt(request, 'kind', 'kind'),
      valueAt(request, 'oldObject', 'spec', 'replicas'),
      valueAt(request, 'object', 'spec', 'replicas'),
    ]);
    assert.deepEqual(seen, [
      ['UPDATE', 'Scale', 2, 5],
      ['CREATE', 'Eviction', undefined, undefined],
    ]);
  });

  it('is called with the version it names when a different version is written, unless it matches exactly', async (t) => {
    const { server, webhook } = await start(t, () => ALLOWED);
    const more = { resources: ['horizontalpodautoscalers'], groups: ['autoscaling'], versions: ['v1'] };
    await register(server, 'validating', 'any', webhook, more);
    await register(server, 'validating', 'exact', webhook, { ...more, matchPolicy: 'Exact' });
    const spec = {
      scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' },
      maxReplicas: 3,
    };
    const metrics = [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
      },
    ];
    const path = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
    const made = await server.call('POST', path, {
      body: { metadata: { name: 'web' }, spec: { ...spec, metrics } },
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.equal(webhook.asked.length, 1);
    const [request = {}] = webhook.asked;
    assert.deepEqual(
      [valueAt(request, 'resource', 'version'), valueAt(request, 'requestResource', 'version')],
      ['v1', 'v2'],
    );
    assert.equal(valueAt(request, 'object', 'spec', 'targetCPUUtilizationPercentage'), 50);
  });

  it('is not asked about configurations, so that a bad one can be taken back', async (t) => {
    const { server, webhook } = await start(t, () => ({ allowed: false }));
    await register(server, 'validating', 'no', webhook, { resources: ['*'] });
    const path = `${CONFIGURATIONS}/validatingwebhookconfigurations/no`;
    assert.equal((await server.call('DELETE', path)).status, 200);
    assert.equal((await server.call('POST', MAPS, { body: map('a') })).status, 201);
    assert.equal(webhook.asked.length, 0);
  });
});

describe('selectors of a webhook', () => {
  it('leave out namespaces and objects', async (t) => {
    const { server, webhook } = await start(t, () => ({ allowed: false }));
    await server.call('POST', '/api/v1/namespaces', { body: map('strict', { labels: { strict: 'yes' } }) });
    await register(server, 'validating', 'no', webhook, {
      namespaceSelector: { matchLabels: { strict: 'yes' } },
      objectSelector: { matchExpressions: [{ key: 'free', operator: 'DoesNotExist' }] },
    });
    const create = async (namespace: string, labels: Json): Promise<number> => {
      const body = { metadata: { generateName: 'a-', labels } };
      return (await server.call('POST', `/api/v1/namespaces/${namespace}/configmaps`, { body })).status;
    };
    assert.deepEqual(
      [await create('default', {}), await create('strict', { free: 'yes' }), await create('strict', {})],
      [201, 201, 400],
    );
  });
});

describe('a mutating webhook', () => {
  it('changes what is stored, before it is checked', async (t) => {
    const { server, webhook } = await start(t, () =>
      patching({ op: 'add', path: '/data', value: { key: 'added' } }),
    );
    await register(server, 'mutating', 'add', webhook);
    const made = await server.call('POST', MAPS, { body: map('a') });
    assert.deepEqual(made.body.data, { key: 'added' });
    const bad = await startAdmissionWebhook(t, () =>
      patching({ op: 'add', path: '/data', value: { '': 'x' } }),
    );
    await register(server, 'mutating', 'bad', bad);
    assert.equal((await server.call('POST', MAPS, { body: map('b') })).body.reason, 'Invalid');
  });

  it('may add a container with no more than its name and image; the next one and the store see it with all defaults', async (t) => {
    const { server, webhook } = await start(t, () =>
      patching({ op: 'add', path: '/spec/containers/-', value: { name: 'proxy', image: 'proxy:1' } }),
    );
    const second = await startAdmissionWebhook(t, () => ALLOWED);
    await register(server, 'mutating', 'a-inject', webhook, { resources: ['pods'] });
    await register(server, 'mutating', 'b-look', second, { resources: ['pods'] });
    const made = await server.call('POST', PODS, { body: podOf('a') });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const seen = asJson(second.asked[0]?.object);
    for (const object of [seen, made.body]) {
      const [, proxy = {}] = asObjects(valueAt(object, 'spec', 'containers'));
      assert.deepEqual(
        [proxy.name, proxy.imagePullPolicy, proxy.terminationMessagePolicy, proxy.terminationMessagePath],
        ['proxy', 'IfNotPresent', 'File', '/dev/termination-log'],
      );
    }
  });

  it('sees what the one before left, and is asked again if it wants to know of later changes', async (t) => {
    const first = (request: Json): Json => {
      const isKnown = valueAt(request, 'object', 'data', 'second') !== undefined;
      return isKnown
        ? patching({ op: 'add', path: '/data/again', value: 'yes' })
        : patching({ op: 'add', path: '/data', value: { first: 'yes' } });
    };
    const { server, webhook } = await start(t, first);
    const second = await startAdmissionWebhook(t, () =>
      patching({ op: 'add', path: '/data/second', value: 'yes' }),
    );
    await register(server, 'mutating', 'a', webhook, { reinvocationPolicy: 'IfNeeded' });
    await register(server, 'mutating', 'b', second);
    const made = await server.call('POST', MAPS, { body: map('a') });
    assert.deepEqual(made.body.data, { first: 'yes', second: 'yes', again: 'yes' });
    assert.deepEqual([webhook.asked.length, second.asked.length], [2, 1]);
  });

  it('is asked again when the object changes while it thinks, so that no change is lost', async (t) => {
    let change: (() => Promise<unknown>) | undefined;
    const { server, webhook } = await start(t, async () => {
      const once = change;
      change = undefined;
      await once?.();
      return patching({ op: 'add', path: '/metadata/labels', value: { seen: 'yes' } });
    });
    await server.call('POST', MAPS, { body: map('a') });
    await register(server, 'mutating', 'slow', webhook, { objectSelector: { matchLabels: { slow: 'yes' } } });
    const type = 'application/merge-patch+json';
    const other = { type, body: { data: { other: '1' } } };
    change = () => server.call('PATCH', `${MAPS}/a`, other);
    const body = { metadata: { labels: { slow: 'yes' } }, data: { own: '1' } };
    const answer = await server.call('PATCH', `${MAPS}/a`, { type, body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(answer.body.data, { other: '1', own: '1' });
    assert.deepEqual(valueAt(answer.body, 'metadata', 'labels'), { seen: 'yes' });
    assert.equal(webhook.asked.length, 2);
  });

  const LABELLED = { objectSelector: { matchLabels: { slow: 'yes' } } };
  const slow = (name: string): Json => map(name, { labels: { slow: 'yes' } });

  for (const phase of ['mutating', 'validating'] as const) {
    it(`is asked no more about what came second (${phase})`, async (t) => {
      let change: (() => Promise<unknown>) | undefined;
      const { server, webhook } = await start(t, async () => {
        const once = change;
        change = undefined;
        await once?.();
        return ALLOWED;
      });
      await register(server, phase, 'slow', webhook, LABELLED);
      change = () => server.call('POST', MAPS, { body: map('a') });
      const second = await server.call('POST', MAPS, { body: slow('a') });
      assert.deepEqual([second.status, second.body.reason], [409, 'AlreadyExists']);
      const { body: present } = await server.call('GET', `${MAPS}/a`);
      const type = 'application/merge-patch+json';
      change = () => server.call('PATCH', `${MAPS}/a`, { type, body: { data: { other: '1' } } });
      const metadata = { ...asJson(present.metadata), labels: { slow: 'yes' } };
      const stale = await server.call('PUT', `${MAPS}/a`, { body: { ...present, metadata } });
      assert.deepEqual([stale.status, stale.body.reason], [409, 'Conflict']);
      assert.deepEqual((await server.call('GET', `${MAPS}/a`)).body.data, { other: '1' });
    });
  }

  it('may name what is created, and not rename what is there', async (t) => {
    const rename = { op: 'replace', path: '/metadata/name', value: 'b' };
    const { server, webhook } = await start(t, () => patching(rename));
    await register(server, 'mutating', 'rename', webhook);
    assert.equal(
      valueAt((await server.call('POST', MAPS, { body: map('a') })).body, 'metadata', 'name'),
      'b',
    );
    const again = await startAdmissionWebhook(t, () => patching({ ...rename, value: 'c' }));
    await register(server, 'mutating', 'z', again);
    const patch = { type: 'application/merge-patch+json', body: { data: { a: '1' } } };
    const { status, body } = await server.call('PATCH', `${MAPS}/b`, patch);
    assert.equal(status, 500);
    assert.match(String(body.message), /z\.example\.com": its patch changes metadata\.name/);
  });

  it('fails when its patch cannot be read', async (t) => {
    const table: readonly (readonly [Json, RegExp])[] = [
      [{ patch: 'W10=' }, /response\.patch but not response\.patchType/],
      [{ patchType: 'JSONPatch' }, /response\.patchType but not response\.patch/],
      [{ patch: 'W10=', patchType: 'XML' }, /invalid response\.patchType of "XML"/],
    ];
    for (const [answer, words] of table) {
      const { server, webhook } = await start(t, () => ({ ...ALLOWED, ...answer }));
      await register(server, 'mutating', 'bad', webhook);
      assert.match(String((await server.call('POST', MAPS, { body: map('a') })).body.message), words);
    }
  });
});

describe('a webhook that fails', () => {
  it('refuses the write, or lets it pass, as its policy says', async (t) => {
    const failures: readonly (readonly [string, Respond, RegExp])[] = [
      ['no JSON', () => 'nonsense', /the answer is no JSON/],
      ['another uid', () => ({ ...ALLOWED, uid: 'x' }), /expected response\.uid=/],
      ['a patch', () => ({ ...ALLOWED, patch: 'W10=' }), /validating webhook may not return response\.patch/],
    ];
    for (const [name, respond, words] of failures) {
      const { server, webhook } = await start(t, respond);
      await register(server, 'validating', 'fails', webhook);
      const refused = await server.call('POST', MAPS, { body: map('a') });
      assert.deepEqual([refused.status, refused.body.reason], [500, 'InternalError'], name);
      assert.match(String(refused.body.message), words, name);
      await server.call('DELETE', `${CONFIGURATIONS}/validatingwebhookconfigurations/fails`);
      await register(server, 'validating', 'fails', webhook, { failurePolicy: 'Ignore' });
      assert.equal((await server.call('POST', MAPS, { body: map('a') })).status, 201, name);
    }
  });

  it('says which one, where, and what happened', async (t) => {
    const { server, webhook } = await start(t, () => ALLOWED);
    const gone = { url: 'https://127.0.0.1:1/judge', caBundle: webhook.caBundle };
    await register(server, 'validating', 'gone', gone);
    const { body } = await server.call('POST', MAPS, { body: map('a') });
    assert.equal(
      body.message,
      'Internal error occurred: failed calling webhook "gone.example.com": failed to call webhook: Post "https://127.0.0.1:1/judge?timeout=10s": connect ECONNREFUSED 127.0.0.1:1',
    );
    const stranger = await startAdmissionWebhook(t, () => ALLOWED);
    await register(server, 'validating', 'a', { url: stranger.url, caBundle: webhook.caBundle });
    assert.match(
      String((await server.call('POST', MAPS, { body: map('a') })).body.message),
      /"a\.example\.com".*certificate/,
    );
  });

  it('has as long as it says', async (t) => {
    const timers: { ms: number; fire: () => void }[] = [];
    const clock = {
      now: () => 0,
      monotonic: () => 0,
      sleep: () => Promise.resolve(),
      setTimer: (ms: number, fire: () => void) => {
        timers.push({ ms, fire });
        return () => undefined;
      },
    };
    const server = await startTestServer(t, { clock });
    let reached: () => void = () => undefined;
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const webhook = await startAdmissionWebhook(t, () => {
      reached();
      return undefined;
    });
    await register(server, 'validating', 'slow', webhook, { timeoutSeconds: 7 });
    const writing = server.call('POST', MAPS, { body: map('a') });
    await isReached;
    await turn();
    timers.find(({ ms }) => ms === 7000)?.fire();
    assert.match(String((await writing).body.message), /timeout=7s": no answer within 7 s$/);
  });
});

describe('the address of a webhook', () => {
  it('may be a service, one of whose ready pods is asked under the name of the service', async (t) => {
    const { server, webhook } = await start(t, () => ALLOWED);
    const clientConfig = {
      service: { namespace: 'default', name: 'judge', port: 443 },
      caBundle: webhook.caBundle,
    };
    await register(server, 'validating', 'svc', webhook, { clientConfig });
    const { store } = server.api;
    const find = (port = 443): unknown => addressOfService(store, 'default', 'judge', port);
    const { body } = await server.call('POST', MAPS, { body: map('a') });
    const post = 'failed to call webhook: Post "https://judge.default.svc:443/?timeout=10s"';
    assert.ok(String(body.message).endsWith(`${post}: service "judge" not found`));
    await server.call('POST', '/api/v1/namespaces/default/services', {
      body: { metadata: { name: 'judge' }, spec: { ports: [{ name: 'https', port: 443 }] } },
    });
    assert.equal(find(), 'no endpoints available for service "judge"');
    assert.equal(find(80), 'service port 80 not found');
    await server.call('POST', '/api/v1/namespaces/default/endpoints', {
      body: {
        metadata: { name: 'judge' },
        subsets: [
          { notReadyAddresses: [{ ip: '10.1.2.3' }], ports: [{ name: 'https', port: 1 }] },
          { addresses: [{ ip: '10.1.2.4' }], ports: [{ name: 'https', port: 8443 }] },
        ],
      },
    });
    assert.deepEqual(find(), { host: '10.1.2.4', port: 8443 });
  });
});

describe('configurations of webhooks', () => {
  it('are completed', async (t) => {
    const { server, webhook } = await start(t, () => ALLOWED);
    await register(server, 'mutating', 'full', webhook);
    const { body } = await server.call('GET', `${CONFIGURATIONS}/mutatingwebhookconfigurations/full`);
    const [found = {}] = asObjects(body.webhooks);
    const {
      failurePolicy,
      matchPolicy,
      namespaceSelector,
      objectSelector,
      timeoutSeconds,
      reinvocationPolicy,
    } = found;
    assert.deepEqual(
      { failurePolicy, matchPolicy, namespaceSelector, objectSelector, timeoutSeconds, reinvocationPolicy },
      {
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        timeoutSeconds: 10,
        reinvocationPolicy: 'Never',
      },
    );
    assert.equal(valueAt(asObjects(found.rules)[0], 'scope'), '*');
  });

  it('are asked about requests for which all their conditions hold', async (t) => {
    const server = await startTestServer(t);
    const webhook = await startAdmissionWebhook(t, () => ({ allowed: false }));
    await register(server, 'validating', 'only', webhook, {
      matchConditions: [
        { name: 'not-nodes', expression: '!("system:nodes" in request.userInfo.groups)' },
        {
          name: 'labelled',
          expression: 'has(object.metadata.labels) && object.metadata.labels.check == "yes"',
        },
        { name: 'new', expression: 'oldObject == null && request.operation == "CREATE"' },
      ],
    });
    const create = (name: string, labels: Json): ReturnType<TestServer['call']> =>
      server.call('POST', MAPS, { body: { metadata: { name, labels } } });
    assert.equal((await create('a', {})).status, 201);
    assert.equal(webhook.asked.length, 0);
    assert.equal((await create('b', { check: 'yes' })).status, 400);
    assert.equal(webhook.asked.length, 1);
  });

  it('whose conditions cannot be evaluated refuse, unless they may fail', async (t) => {
    const server = await startTestServer(t);
    const webhook = await startAdmissionWebhook(t, () => ALLOWED);
    const matchConditions = [{ name: 'broken', expression: 'object.data.none == "x"' }];
    await register(server, 'validating', 'strict', webhook, { matchConditions });
    const refused = await server.call('POST', MAPS, { body: { metadata: { name: 'a' } } });
    assert.equal(refused.status, 403);
    assert.match(String(refused.body.message), /match condition "broken": No such key: data$/);
    await server.call('DELETE', `${CONFIGURATIONS}/validatingwebhookconfigurations/strict`);
    await register(server, 'validating', 'lax', webhook, { matchConditions, failurePolicy: 'Ignore' });
    assert.equal((await server.call('POST', MAPS, { body: { metadata: { name: 'a' } } })).status, 201);
    assert.equal(webhook.asked.length, 0);
  });

  it('are refused with every problem', async (t) => {
    const server = await startTestServer(t);
    const bad = {
      name: 'short',
      clientConfig: {},
      rules: [{ operations: [], apiGroups: ['*'], apiVersions: ['v1'], resources: ['pods'], scope: 'Some' }],
      timeoutSeconds: 40,
      admissionReviewVersions: ['v2'],
      matchConditions: [
        { name: 'x', expression: 'object.metadata.name ==' },
        { name: 'x', expression: '' },
      ],
    };
    const answer = await server.call('POST', `${CONFIGURATIONS}/validatingwebhookconfigurations`, {
      body: { metadata: { name: 'bad' }, webhooks: [bad] },
    });
    assert.equal(answer.status, 422);
    const causes = asObjects(valueAt(answer.body, 'details', 'causes'));
    assert.deepEqual(causes.map(({ field }) => String(field).replace('webhooks[0].', '')).sort(), [
      'admissionReviewVersions',
      'clientConfig',
      'matchConditions[0].expression',
      'matchConditions[1].expression',
      'matchConditions[1].name',
      'name',
      'rules[0].operations',
      'rules[0].scope',
      'sideEffects',
      'timeoutSeconds',
    ]);
  });
});
