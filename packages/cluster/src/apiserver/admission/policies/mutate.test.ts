import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { asJson, type Json, valueAt } from '../../object.ts';
import { patching, startAdmissionWebhook } from '../../testing/admission-webhook.ts';
import {
  deploymentOf,
  startTestServer,
  type TestServer,
  withDefaultAccount,
} from '../../testing/test-server.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const on = (apiGroup: string, ...resources: readonly string[]): Json => ({
  resourceRules: [{ operations: ['*'], apiGroups: [apiGroup], apiVersions: ['*'], resources }],
});
const apply = (expression: string): Json => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const json = (expression: string): Json => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const labels = (text: string): Json => apply(`Object{metadata: Object.metadata{labels: ${text}}}`);
const map = (data: Json = {}, more: Json = {}): Json => ({ metadata: { name: 'm', ...more }, data });

/** Stores a policy and its binding. */
async function bind(server: TestServer, name: string, spec: Json, binding: Json = {}): Promise<void> {
  const whole = { matchConstraints: on('', 'configmaps'), reinvocationPolicy: 'Never', ...spec };
  for (const [plural, body] of [
    ['mutatingadmissionpolicies', whole],
    ['mutatingadmissionpolicybindings', { policyName: name, ...binding }],
  ] as const) {
    const answer = await server.call('POST', `${GROUP}/${plural}`, {
      body: { metadata: { name }, spec: body },
    });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
  }
}

async function start(t: TestContext): Promise<TestServer> {
  const server = await startTestServer(t);
  await withDefaultAccount(server);
  return server;
}

async function stored(server: TestServer, body: Json, path = MAPS): Promise<Json> {
  const answer = await server.call('POST', path, { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

describe('a mutating admission policy', () => {
  it('merges configurations along the lists of the kind, and adds the defaults of what is new', async (t) => {
    const server = await start(t);
    await bind(server, 'sidecar', {
      matchConstraints: on('apps', 'deployments'),
      mutations: [
        apply(`Object{spec: Object.spec{replicas: object.spec.replicas + 1, template: Object.spec.template{
          spec: Object.spec.template.spec{containers: [
            Object.spec.template.spec.containers{name: "main", env: [Object.spec.template.spec.containers.env{name: "A", value: "1"}]},
            Object.spec.template.spec.containers{name: "second", image: "busybox"}]}}}}`),
      ],
    });
    const body = deploymentOf('web');
    const made = await stored(server, body, DEPLOYMENTS);
    const containers = valueAt(made, 'spec', 'template', 'spec', 'containers') as Json[];
    assert.deepEqual(
      containers.map(({ name, image, imagePullPolicy, env }) => [name, image, imagePullPolicy, env]),
      [
        ['main', 'app:1', 'IfNotPresent', [{ name: 'A', value: '1' }]],
        ['second', 'busybox', 'Always', undefined],
      ],
    );
    assert.equal(valueAt(made, 'spec', 'replicas'), 3);
  });

  it('applies JSON patches, and leaves the object where a test does not hold', async (t) => {
    const server = await start(t);
    await bind(server, 'p', {
      mutations: [
        json('[JSONPatch{op: "add", path: "/data/made", value: "1"}]'),
        json(
          '[JSONPatch{op: "add", path: "/data/other", value: "2"}, JSONPatch{op: "test", path: "/data/made", value: "0"}]',
        ),
      ],
    });
    assert.deepEqual((await stored(server, map({ a: 'b' }))).data, { a: 'b', made: '1' });
  });

  it('changes updates too, each mutation what the one before left, with variables, conditions and parameters', async (t) => {
    const server = await start(t);
    await stored(server, { metadata: { name: 'params' }, data: { team: 'blue' } });
    await bind(
      server,
      'p',
      {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        variables: [{ name: 'team', expression: 'params.data.team' }],
        matchConditions: [{ name: 'asked', expression: 'has(object.data) && "mark" in object.data' }],
        mutations: [
          labels('{"team": variables.team}'),
          labels('{"copy": object.metadata.labels.team + "-" + request.operation}'),
        ],
      },
      { paramRef: { name: 'params', parameterNotFoundAction: 'Deny' } },
    );
    assert.equal(asJson((await stored(server, map())).metadata).labels, undefined);
    const { body } = await server.call('PUT', `${MAPS}/m`, { body: map({ mark: '' }) });
    assert.deepEqual(asJson(body.metadata).labels, { team: 'blue', copy: 'blue-UPDATE' });
  });

  it('is asked in the order of names, and again if it wants to be and a later one changed something', async (t) => {
    const server = await start(t);
    const count = (key: string): Json =>
      labels(
        `{"${key}": "x" + (has(object.metadata.labels) ? object.metadata.labels[?"${key}"].orValue("") : "")}`,
      );
    await bind(server, 'a', { reinvocationPolicy: 'IfNeeded', mutations: [count('a')] });
    await bind(server, 'b', { reinvocationPolicy: 'Never', mutations: [count('b')] });
    await bind(server, 'c', { reinvocationPolicy: 'IfNeeded', mutations: [count('c')] });
    assert.deepEqual(asJson((await stored(server, map())).metadata).labels, { a: 'xx', b: 'x', c: 'xx' });
  });

  for (const [what, mutation, why] of [
    [
      'an atomic list',
      apply(
        'Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{tolerations: []}}}}',
      ),
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.template.spec.tolerations',
    ],
    [
      'an unknown field',
      apply('Object{nothing: Object.nothing{a: 1}}'),
      'error applying patch: failed to convert patch object to typed object: errors:\n.nothing: field not declared in schema',
    ],
    [
      'a wrong type',
      apply('Object{spec: Object.wrong{}}'),
      'type mismatch: unexpected type name "Object.wrong", expected "Object.spec", which matches field name path from root Object type',
    ],
    ['a path that is not there', json('[JSONPatch{op: "remove", path: "/spec/nothing"}]'), undefined],
  ] as const) {
    it(`refuses the write for ${what}, unless it may fail`, async (t) => {
      const server = await start(t);
      const matchConstraints = on('apps', 'deployments');
      await bind(server, 'p', { matchConstraints, mutations: [mutation] });
      const refused = await server.call('POST', DEPLOYMENTS, { body: deploymentOf('web') });
      const { code, reason, message } = refused.body;
      assert.deepEqual([refused.status, code, reason], [403, 403, 'Invalid']);
      const begin = "policy 'p' with binding 'p' denied request: ";
      assert.ok(String(message).startsWith(begin), String(message));
      if (why !== undefined) assert.equal(String(message).slice(begin.length), why);
      await server.call('PATCH', `${GROUP}/mutatingadmissionpolicies/p`, {
        type: 'application/merge-patch+json',
        body: { spec: { failurePolicy: 'Ignore' } },
      });
      await stored(server, deploymentOf('web'), DEPLOYMENTS);
    });
  }

  it('comes before the webhooks, and again after them if it wants to', async (t) => {
    const webhook = await startAdmissionWebhook(t, () =>
      patching({ op: 'add', path: '/metadata/labels/hook', value: '1' }),
    );
    const server = await start(t);
    const size = 'has(object.metadata.labels) ? string(size(object.metadata.labels)) : "0"';
    await bind(server, 'p', { reinvocationPolicy: 'IfNeeded', mutations: [labels(`{"seen": ${size}}`)] });
    const { url, caBundle } = webhook;
    await server.call('POST', `${GROUP}/mutatingwebhookconfigurations`, {
      body: {
        metadata: { name: 'w' },
        webhooks: [
          {
            name: 'w.example.com',
            clientConfig: { url, caBundle },
            rules: on('', 'configmaps').resourceRules,
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      },
    });
    const { metadata } = await stored(server, map());
    assert.deepEqual(valueAt(webhook.asked[0] ?? {}, 'object', 'metadata', 'labels'), { seen: '0' });
    assert.deepEqual(asJson(metadata).labels, { seen: '2', hook: '1' });
  });

  it('is refused with what is wrong with it', async (t) => {
    const server = await start(t);
    const spec = { matchConstraints: on('', 'configmaps'), reinvocationPolicy: 'Never' };
    for (const [wrong, ...mistakes] of [
      [{ mutations: [] }, 'spec.mutations: Required value: mutations must contain at least one item'],
      [
        { mutations: [apply('Object{}')], reinvocationPolicy: 'Foo' },
        'spec.reinvocationPolicy: Unsupported value: "Foo": supported values: "IfNeeded", "Never"',
      ],
      [
        { mutations: [{ ...apply('Object{}'), ...json('[]') }] },
        'spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
      ],
      [
        { mutations: [{ patchType: 'ApplyConfiguration' }] },
        'spec.mutations[0].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration',
      ],
      [
        { mutations: [{ patchType: 'Merge' }] },
        'spec.mutations[0].patchType: Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch"',
      ],
      [
        {
          mutations: [apply('Object{}')],
          matchConstraints: {
            resourceRules: [
              { operations: ['DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] },
            ],
          },
        },
        'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CREATE", "UPDATE"',
      ],
    ] as const) {
      const { body } = await server.call('POST', `${GROUP}/mutatingadmissionpolicies`, {
        body: { metadata: { name: 'p' }, spec: { ...spec, ...wrong } },
      });
      assert.equal(
        body.message,
        `MutatingAdmissionPolicy.admissionregistration.k8s.io "p" is invalid: ${mistakes.join(', ')}`,
      );
    }
  });
});
