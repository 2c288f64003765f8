import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Json } from '../../object.ts';
import {
  deploymentOf,
  startTestServer,
  type TestServer,
  withDefaultAccount,
} from '../../testing/test-server.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const ON_MAPS = {
  resourceRules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['*'], resources: ['configmaps'] }],
};

/** Stores a policy and a binding of the name `p` and `p-binding`. */
async function bind(server: TestServer, spec: Json, binding: Json = {}): Promise<void> {
  const policy = await server.call('POST', `${GROUP}/validatingadmissionpolicies`, {
    body: { metadata: { name: 'p' }, spec: { matchConstraints: ON_MAPS, ...spec } },
  });
  assert.equal(policy.status, 201, JSON.stringify(policy.body));
  const bound = await server.call('POST', `${GROUP}/validatingadmissionpolicybindings`, {
    body: { metadata: { name: 'b' }, spec: { policyName: 'p', validationActions: ['Deny'], ...binding } },
  });
  assert.equal(bound.status, 201, JSON.stringify(bound.body));
}

async function start(t: TestContext, spec: Json, binding: Json = {}): Promise<TestServer> {
  const server = await startTestServer(t);
  await withDefaultAccount(server);
  await bind(server, spec, binding);
  return server;
}

const map = (data: Json, more: Json = {}): Json => ({ metadata: { name: 'm', ...more }, data });
const DENIED = `configmaps "m" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: `;

describe('a validating admission policy', () => {
  it('denies with its message, its reason and their code', async (t) => {
    const rows: readonly (readonly [validation: Json, code: number, reason: string, words: string])[] = [
      [{}, 422, 'Invalid', `failed expression: object.data.color == 'red'`],
      [{ message: 'only red' }, 422, 'Invalid', 'only red'],
      [{ message: 'no', reason: 'Forbidden' }, 403, 'Forbidden', 'no'],
      [{ reason: 'RequestEntityTooLarge', message: 'x' }, 413, 'RequestEntityTooLarge', 'x'],
      [{ messageExpression: `'not ' + object.data.color` }, 422, 'Invalid', 'not blue'],
      [{ messageExpression: `'%s of %d'.format([object.data.color, 2])` }, 422, 'Invalid', 'blue of 2'],
      [{ messageExpression: 'object.data.absent', message: 'then this' }, 422, 'Invalid', 'then this'],
    ];
    for (const [validation, code, reason, words] of rows) {
      const server = await start(t, {
        validations: [{ expression: `object.data.color == 'red'`, ...validation }],
      });
      const red = await server.call('POST', MAPS, { body: map({ color: 'red' }) });
      assert.equal(red.status, 201);
      const blue = await server.call('PUT', `${MAPS}/m`, { body: map({ color: 'blue' }) });
      assert.deepEqual(
        [blue.status, blue.body['reason'], blue.body['message']],
        [code, reason, DENIED + words],
      );
      assert.deepEqual(blue.body['details'], {
        name: 'm',
        kind: 'configmaps',
        causes: [{ message: blue.body['message']?.toString().slice('configmaps "m" is forbidden: '.length) }],
      });
    }
  });

  it('sees the object before, the request, the namespace and its variables', async (t) => {
    const server = await start(t, {
      variables: [
        { name: 'color', expression: `object.data.color` },
        { name: 'place', expression: `namespaceObject.metadata.name + '/' + variables.color` },
        { name: 'unused', expression: 'object.data.absent' },
      ],
      matchConditions: [{ name: 'changes', expression: `request.operation == 'UPDATE'` }],
      validations: [
        { expression: `oldObject.data.color == variables.color`, message: 'fixed' },
        { expression: `variables.place == 'default/red'`, messageExpression: 'variables.place' },
      ],
    });
    assert.equal((await server.call('POST', MAPS, { body: map({ color: 'blue' }) })).status, 201);
    const changed = await server.call('PUT', `${MAPS}/m`, { body: map({ color: 'red' }) });
    assert.equal(changed.body['message'], `${DENIED}fixed`);
    const same = await server.call('PUT', `${MAPS}/m`, { body: map({ color: 'blue', more: '1' }) });
    assert.equal(same.body['message'], `${DENIED}default/blue`);
  });

  it('asks once for each parameter, and says what keeps a binding from having any', async (t) => {
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
    const validations = [
      {
        expression: 'int(object.spec.replicas) <= int(params.data.most)',
        messageExpression: `'at most ' + params.data.most`,
      },
    ];
    const matchConstraints = {
      resourceRules: [
        { operations: ['CREATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] },
      ],
    };
    const spec = { paramKind, validations, matchConstraints };
    const denied = (words: string): string =>
      `deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${words}`;
    const rows: readonly (readonly [paramRef: Json, found: string | undefined])[] = [
      [{ name: 'few', parameterNotFoundAction: 'Deny' }, denied('at most 1')],
      [{ name: 'many', parameterNotFoundAction: 'Deny' }, undefined],
      [{ selector: { matchLabels: { of: 'limits' } }, parameterNotFoundAction: 'Deny' }, denied('at most 1')],
      [{ name: 'absent', parameterNotFoundAction: 'Allow' }, undefined],
      [
        { name: 'absent', parameterNotFoundAction: 'Deny' },
        denied(
          'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
        ),
      ],
    ];
    for (const [paramRef, found] of rows) {
      const server = await start(t, spec, { paramRef });
      for (const [name, most] of [
        ['few', '1'],
        ['many', '9'],
      ] as const) {
        await server.call('POST', MAPS, {
          body: { metadata: { name, labels: { of: 'limits' } }, data: { most } },
        });
      }
      const body = deploymentOf('web', { replicas: 3 });
      const made = await server.call('POST', DEPLOYMENTS, { body });
      assert.equal(made.status === 201 ? undefined : made.body['message'], found, JSON.stringify(paramRef));
    }
  });

  it('is asked about what its constraints and its binding select, and not about what they leave out', async (t) => {
    const never = { validations: [{ expression: 'false', message: 'never' }] };
    const [rule] = ON_MAPS.resourceRules;
    const rows: readonly (readonly [constraints: Json, binding: Json, isDenied: boolean])[] = [
      [{}, {}, true],
      [{ resourceRules: [{ ...rule, resourceNames: ['m'] }] }, {}, true],
      [{ resourceRules: [{ ...rule, resourceNames: ['other'] }] }, {}, false],
      [{ excludeResourceRules: [{ ...rule, resourceNames: ['m'] }] }, {}, false],
      [{ objectSelector: { matchLabels: { a: 'b' } } }, {}, true],
      [{ objectSelector: { matchLabels: { a: 'c' } } }, {}, false],
      [{ namespaceSelector: { matchLabels: { none: 'x' } } }, {}, false],
      [{}, { matchResources: { objectSelector: { matchLabels: { a: 'c' } } } }, false],
      [
        {},
        {
          matchResources: {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
          },
        },
        true,
      ],
    ];
    for (const [constraints, binding, isDenied] of rows) {
      const server = await start(t, { ...never, matchConstraints: { ...ON_MAPS, ...constraints } }, binding);
      const made = await server.call('POST', MAPS, { body: map({}, { labels: { a: 'b' } }) });
      assert.equal(made.status, isDenied ? 422 : 201, JSON.stringify([constraints, binding]));
    }
  });

  it('warns where the binding says so, and lets the write through', async (t) => {
    const server = await start(
      t,
      { validations: [{ expression: 'false', message: 'hm' }] },
      { validationActions: ['Warn', 'Audit'] },
    );
    const made = await server.call('POST', MAPS, { body: map({}) });
    assert.equal(made.status, 201);
    assert.match(
      String(made.headers['warning']),
      /Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': hm/,
    );
  });

  it('denies what it cannot evaluate, unless it may fail', async (t) => {
    const validations = [{ expression: 'object.data.absent == 1' }];
    const fails = await start(t, { validations });
    const refused = await fails.call('POST', MAPS, { body: map({}) });
    assert.equal(refused.status, 422);
    assert.match(
      String(refused.body['message']),
      /expression 'object.data.absent == 1' resulted in error: No such key: data/,
    );
    const ignores = await start(t, { validations, failurePolicy: 'Ignore' });
    assert.equal((await ignores.call('POST', MAPS, { body: map({}) })).status, 201);
    const unknown = await start(t, { validations, paramKind: { apiVersion: 'x.example/v1', kind: 'Gone' } });
    assert.match(
      String((await unknown.call('POST', MAPS, { body: map({}) })).body['message']),
      /'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'x.example\/v1, Kind=Gone'/,
    );
  });

  it('judges what is deleted, and a dry run, and never policies themselves', async (t) => {
    const everything = {
      resourceRules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }],
    };
    const server = await startTestServer(t);
    await withDefaultAccount(server);
    await server.call('POST', MAPS, { body: map({}) });
    await bind(server, {
      matchConstraints: everything,
      validations: [{ expression: 'false', message: 'stop' }],
    });
    assert.equal((await server.call('DELETE', `${MAPS}/m`)).status, 422);
    assert.equal(
      (await server.call('POST', `${MAPS}?dryRun=All`, { body: { metadata: { name: 'n' } } })).status,
      422,
    );
    assert.equal((await server.call('DELETE', `${GROUP}/validatingadmissionpolicybindings/b`)).status, 200);
    assert.equal((await server.call('DELETE', `${MAPS}/m`)).status, 200);
  });

  it('is refused with the field that is wrong', async (t) => {
    const server = await startTestServer(t);
    const right = { matchConstraints: ON_MAPS, validations: [{ expression: 'true' }] };
    const policies: readonly (readonly [spec: Json, words: RegExp])[] = [
      [{ ...right, matchConstraints: undefined }, /spec.matchConstraints: Required value/],
      [{ ...right, matchConstraints: {} }, /spec.matchConstraints.resourceRules: Required value/],
      [
        { ...right, validations: [] },
        /spec.validations: Required value: validations or auditAnnotations must contain at least one item/,
      ],
      [
        { ...right, validations: [{ expression: '1 + 1' }] },
        /spec.validations\[0\].expression: Invalid value: "1 \+ 1": must evaluate to bool/,
      ],
      [
        { ...right, validations: [{ expression: 'nothing.here' }] },
        /spec.validations\[0\].expression: Invalid value: "nothing.here": compilation failed: ERROR: Unknown variable: nothing/,
      ],
      [{ ...right, validations: [{ expression: 'params.x' }] }, /Unknown variable: params/],
      [
        { ...right, validations: [{ expression: 'true', reason: 'Tuesday' }] },
        /spec.validations\[0\].reason: Unsupported value: "Tuesday"/,
      ],
      [
        { ...right, variables: [{ name: 'a-b', expression: '1' }] },
        /spec.variables\[0\].name: Invalid value: "a-b"/,
      ],
      [{ ...right, failurePolicy: 'Perhaps' }, /spec.failurePolicy: Unsupported value: "Perhaps"/],
      [{ ...right, paramKind: { kind: 'ConfigMap' } }, /spec.paramKind.apiVersion: Required value/],
    ];
    for (const [spec, words] of policies) {
      const answer = await server.call('POST', `${GROUP}/validatingadmissionpolicies`, {
        body: { metadata: { name: 'p' }, spec },
      });
      assert.equal(answer.status, 422, JSON.stringify(spec));
      assert.match(String(answer.body['message']), words);
    }
    const bindings: readonly (readonly [spec: Json, words: RegExp])[] = [
      [{ validationActions: ['Deny'] }, /spec.policyName: Required value/],
      [{ policyName: 'p' }, /spec.validationActions: Required value/],
      [{ policyName: 'p', validationActions: ['Deny', 'Warn'] }, /must not contain both Deny and Warn/],
      [
        { policyName: 'p', validationActions: ['Deny'], paramRef: { name: 'a' } },
        /spec.paramRef.parameterNotFoundAction: Required value/,
      ],
      [
        { policyName: 'p', validationActions: ['Deny'], paramRef: { parameterNotFoundAction: 'Deny' } },
        /spec.paramRef: Required value: one of name or selector must be specified/,
      ],
    ];
    for (const [spec, words] of bindings) {
      const answer = await server.call('POST', `${GROUP}/validatingadmissionpolicybindings`, {
        body: { metadata: { name: 'b' }, spec },
      });
      assert.equal(answer.status, 422, JSON.stringify(spec));
      assert.match(String(answer.body['message']), words);
    }
  });
});
