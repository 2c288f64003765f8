import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '@turnsole/kube/base/clock';
import { asJson, asList, asString, type Json, valueAt } from '../object.ts';
import { podOf, startTestServer, type TestServer, withDefaultAccount } from '../testing/test-server.ts';
import type { Attributes } from './attributes.ts';
import { type Rule, ruleAllows, uncovered } from './rule.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

function rule(more: Partial<Rule>): Rule {
  return {
    verbs: ['get'],
    apiGroups: [''],
    resources: ['pods'],
    resourceNames: [],
    nonResourceURLs: [],
    ...more,
  };
}

function wants(more: Partial<Attributes>): Attributes {
  return {
    verb: 'get',
    isResource: true,
    group: '',
    plural: 'pods',
    subresource: '',
    namespace: 'n',
    name: 'p',
    path: '',
    ...more,
  };
}

describe('a rule', () => {
  const rows: readonly (readonly [string, Partial<Rule>, Partial<Attributes>, boolean])[] = [
    ['allows what it names', {}, {}, true],
    ['denies another verb', {}, { verb: 'list' }, false],
    ['denies another group', {}, { group: 'apps' }, false],
    ['denies another resource', {}, { plural: 'secrets' }, false],
    ['denies a subresource it does not name', {}, { subresource: 'log' }, false],
    ['allows a subresource it names', { resources: ['pods/log'] }, { subresource: 'log' }, true],
    ['with a subresource denies the resource', { resources: ['pods/log'] }, {}, false],
    [
      'allows a subresource of any kind',
      { resources: ['*/scale'] },
      { plural: 'x', subresource: 'scale' },
      true,
    ],
    ['allows any verb', { verbs: ['*'] }, { verb: 'frob' }, true],
    ['allows any group', { apiGroups: ['*'] }, { group: 'apps' }, true],
    ['allows any resource and subresource', { resources: ['*'] }, { subresource: 'exec' }, true],
    ['allows a name it lists', { resourceNames: ['p'] }, {}, true],
    ['denies a name it does not list', { resourceNames: ['q'] }, {}, false],
    ['with names denies lists', { verbs: ['list'], resourceNames: ['p'] }, { verb: 'list', name: '' }, false],
    [
      'for resources denies paths',
      { verbs: ['*'], resources: ['*'], apiGroups: ['*'] },
      { isResource: false, path: '/metrics' },
      false,
    ],
    ['allows a path', { nonResourceURLs: ['/metrics'] }, { isResource: false, path: '/metrics' }, true],
    [
      'allows paths below a prefix',
      { nonResourceURLs: ['/api/*'] },
      { isResource: false, path: '/api/v1' },
      true,
    ],
    ['denies other paths', { nonResourceURLs: ['/api/*'] }, { isResource: false, path: '/apis' }, false],
  ];
  for (const [name, given, asked, expected] of rows) {
    it(name, () => assert.equal(ruleAllows(rule(given), wants(asked)), expected));
  }
});

describe('what a user would gain', () => {
  const rows: readonly (readonly [string, Partial<Rule>[], Partial<Rule>, number])[] = [
    ['is nothing when it is held', [{}], {}, 0],
    [
      'is nothing when more is held',
      [{ verbs: ['*'], resources: ['*'], apiGroups: ['*'] }],
      { resources: ['pods/exec'] },
      0,
    ],
    [
      'is nothing when two rules hold it together',
      [{ verbs: ['get'] }, { verbs: ['list'] }],
      { verbs: ['get', 'list'] },
      0,
    ],
    ['is each part that is not held', [{}], { verbs: ['get', 'delete'], resources: ['pods', 'secrets'] }, 3],
    ['is everything beyond the names one holds', [{ resourceNames: ['a'] }], {}, 1],
    ['is nothing within the names one holds', [{ resourceNames: ['a', 'b'] }], { resourceNames: ['a'] }, 0],
    ['is a wildcard that is not held', [{ verbs: ['get', 'list'] }], { verbs: ['*'] }, 1],
    [
      'is a path that is not held',
      [{ nonResourceURLs: ['/a'] }],
      { apiGroups: [], resources: [], nonResourceURLs: ['/a', '/b'] },
      1,
    ],
  ];
  for (const [name, held, asked, expected] of rows) {
    it(name, () => assert.equal(uncovered(held.map(rule), [rule(asked)]).length, expected));
  }
});

async function post(
  server: TestServer,
  path: string,
  body: Json,
  headers: Record<string, string> = {},
): Promise<Json> {
  const answer = await server.call('POST', path, { body, headers });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

const as = (user: string): Record<string, string> => ({ 'impersonate-user': user });

describe('authentication', () => {
  it('refuses those without a token, and with a wrong one', async (t) => {
    const server = await startTestServer(t);
    for (const token of ['', 'wrong', 'a.b.c']) {
      const answer = await server.call('GET', '/api/v1/pods', { token });
      assert.deepEqual(
        [answer.status, answer.body.reason, answer.body.message],
        [401, 'Unauthorized', 'Unauthorized'],
      );
    }
  });

  it('lets anybody see health and version, and nothing else', async (t) => {
    const server = await startTestServer(t);
    for (const path of ['/healthz', '/livez', '/readyz', '/version']) {
      assert.equal((await server.call('GET', path, { token: '' })).status, 200);
    }
    for (const path of ['/api', '/apis', '/openapi/v2']) {
      assert.equal((await server.call('GET', path, { token: '' })).status, 401);
    }
  });

  it('knows service accounts by tokens that live as long as account and pod do', async (t) => {
    const server = await startTestServer(t);
    await withDefaultAccount(server);
    const pods = '/api/v1/namespaces/default/pods';
    const pod = await post(server, pods, podOf('p'));
    const issue = async (ref: Json | undefined): Promise<string> => {
      const spec = ref === undefined ? {} : { boundObjectRef: ref };
      const body = await post(server, '/api/v1/namespaces/default/serviceaccounts/default/token', { spec });
      return asString(valueAt(body, 'status', 'token'));
    };
    const free = await issue(undefined);
    const bound = await issue({ kind: 'Pod', name: 'p', uid: valueAt(pod, 'metadata', 'uid') });
    const who = async (token: string): Promise<unknown> => {
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
      const answer = await server.call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
        token,
        body,
      });
      return answer.status === 201 ? valueAt(answer.body, 'status', 'userInfo') : answer.status;
    };
    const info = asJson(await who(bound));
    assert.equal(info.username, 'system:serviceaccount:default:default');
    assert.deepEqual(info.groups, [
      'system:serviceaccounts',
      'system:serviceaccounts:default',
      'system:authenticated',
    ]);
    assert.deepEqual(asJson(info.extra)['authentication.kubernetes.io/pod-name'], ['p']);
    await server.call('DELETE', `${pods}/p`);
    assert.equal(await who(bound), 401);
    assert.equal(asJson(await who(free)).username, 'system:serviceaccount:default:default');
    await server.call('DELETE', '/api/v1/namespaces/default/serviceaccounts/default');
    assert.equal(await who(free), 401);
  });

  it('binds tokens to nodes: as long as they are there, and with the pods on them', async (t) => {
    const server = await startTestServer(t);
    await withDefaultAccount(server);
    const node = await post(server, '/api/v1/nodes', { metadata: { name: 'n' } });
    const pod = podOf('p');
    await post(server, '/api/v1/namespaces/default/pods', {
      ...pod,
      spec: { ...asJson(asJson(pod).spec), nodeName: 'n' },
    });
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const issue = async (boundObjectRef: Json): Promise<string> =>
      asString(valueAt(await post(server, path, { spec: { boundObjectRef } }), 'status', 'token'));
    const named = { apiVersion: 'v1', kind: 'Node', name: 'n' };
    const [ofNode, ofPod] = [await issue(named), await issue({ ...named, kind: 'Pod', name: 'p' })];
    const uid = valueAt(node, 'metadata', 'uid');
    const extra = async (token: string): Promise<unknown> => {
      const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
      const { body } = await server.call('POST', reviews, { token, body: {} });
      return ['name', 'uid'].map((part) =>
        valueAt(body, 'status', 'userInfo', 'extra', `authentication.kubernetes.io/node-${part}`),
      );
    };
    for (const token of [ofNode, ofPod]) assert.deepEqual(await extra(token), [['n'], [uid]]);
    await server.call('DELETE', '/api/v1/nodes/n');
    assert.equal((await server.call('GET', '/api', { token: ofNode })).status, 401);
    assert.equal((await server.call('GET', '/api', { token: ofPod })).status, 200);
  });

  it('lets tokens run out', async (t) => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const clock: Clock = {
      now: () => now,
      monotonic: () => now,
      sleep: () => Promise.resolve(),
      setTimer: () => () => undefined,
    };
    const server = await startTestServer(t, { clock });
    await withDefaultAccount(server);
    const body = await post(server, '/api/v1/namespaces/default/serviceaccounts/default/token', {
      spec: { expirationSeconds: 600 },
    });
    const token = asString(valueAt(body, 'status', 'token'));
    assert.equal(valueAt(body, 'status', 'expirationTimestamp'), '2026-01-01T00:10:00Z');
    now += 599_000;
    assert.equal((await server.call('GET', '/api', { token })).status, 200);
    now += 1000;
    assert.equal((await server.call('GET', '/api', { token })).status, 401);
  });

  it('does not take a token of another cluster', async (t) => {
    const [one, other] = [await startTestServer(t), await startTestServer(t)];
    await withDefaultAccount(one);
    await withDefaultAccount(other);
    const body = await post(one, '/api/v1/namespaces/default/serviceaccounts/default/token', { spec: {} });
    assert.equal(
      (await other.call('GET', '/api', { token: asString(valueAt(body, 'status', 'token')) })).status,
      401,
    );
  });
});

describe('authorization', () => {
  const refusals: readonly (readonly [string, string, string, string])[] = [
    [
      'GET',
      '/api/v1/namespaces/n/pods/p',
      'pods "p" is forbidden: User "bob" cannot get resource "pods" in API group "" in the namespace "n"',
      '',
    ],
    [
      'GET',
      '/api/v1/pods',
      'pods is forbidden: User "bob" cannot list resource "pods" in API group "" at the cluster scope',
      '',
    ],
    [
      'GET',
      '/api/v1/namespaces/n/pods?watch=1',
      'pods is forbidden: User "bob" cannot watch resource "pods" in API group "" in the namespace "n"',
      '',
    ],
    [
      'DELETE',
      '/apis/apps/v1/namespaces/n/deployments',
      'deployments.apps is forbidden: User "bob" cannot deletecollection resource "deployments" in API group "apps" in the namespace "n"',
      '',
    ],
    [
      'GET',
      '/api/v1/namespaces/n/pods/p/log',
      'pods "p" is forbidden: User "bob" cannot get resource "pods/log" in API group "" in the namespace "n"',
      '',
    ],
    [
      'PATCH',
      '/api/v1/nodes/x/status',
      'nodes "x" is forbidden: User "bob" cannot patch resource "nodes/status" in API group "" at the cluster scope',
      '',
    ],
    ['GET', '/metrics', 'forbidden: User "bob" cannot get path "/metrics"', ''],
  ];
  for (const [method, path, message] of refusals) {
    it(`refuses ${method} ${path} in the known words`, async (t) => {
      const server = await startTestServer(t);
      const answer = await server.call(method, path, { headers: as('bob') });
      assert.deepEqual([answer.status, answer.body.reason, answer.body.message], [403, 'Forbidden', message]);
    });
  }

  it('follows roles and bindings as they change', async (t) => {
    const server = await startTestServer(t);
    const list = async (namespace: string): Promise<number> =>
      (await server.call('GET', `/api/v1/namespaces/${namespace}/pods`, { headers: as('bob') })).status;
    const binding = {
      metadata: { name: 'b' },
      roleRef: { kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'User', name: 'bob' }],
    };
    await post(server, `${RBAC}/namespaces/default/rolebindings`, binding);
    const missing = await server.call('GET', '/api/v1/namespaces/default/pods', { headers: as('bob') });
    assert.match(String(missing.body.message), /RBAC: role.rbac.authorization.k8s.io "reader" not found$/);
    await post(server, `${RBAC}/namespaces/default/roles`, {
      metadata: { name: 'reader' },
      rules: [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }],
    });
    assert.deepEqual([await list('default'), await list('kube-system')], [200, 403]);
    await server.call('DELETE', `${RBAC}/namespaces/default/rolebindings/b`);
    assert.equal(await list('default'), 403);
  });

  it('aggregates cluster roles by label', async (t) => {
    const server = await startTestServer(t);
    await post(server, `${RBAC}/clusterroles`, {
      metadata: { name: 'backups-view', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
      rules: [{ verbs: ['get'], apiGroups: ['example.com'], resources: ['backups'] }],
    });
    // Aggregation follows in the next turn.
    await Promise.resolve();
    for (const name of ['view', 'edit', 'admin']) {
      const role = await server.call('GET', `${RBAC}/clusterroles/${name}`);
      assert.ok(
        asList(role.body.rules).some((item) => asList(asJson(item).resources).includes('backups')),
        name,
      );
    }
  });

  it('lets no user grant rights that he does not hold', async (t) => {
    const server = await startTestServer(t);
    await post(server, `${RBAC}/clusterrolebindings`, {
      metadata: { name: 'bob-admin' },
      roleRef: { kind: 'ClusterRole', name: 'admin' },
      subjects: [{ kind: 'User', name: 'bob' }],
    });
    const path = `${RBAC}/namespaces/default/roles`;
    const allowed = {
      metadata: { name: 'a' },
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
    };
    assert.equal((await server.call('POST', path, { headers: as('bob'), body: allowed })).status, 201);
    const wanted = {
      metadata: { name: 'b' },
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['nodes'] }],
    };
    const refused = await server.call('POST', path, { headers: as('bob'), body: wanted });
    assert.equal(refused.status, 403);
    assert.match(
      String(refused.body.message),
      /^roles.rbac.authorization.k8s.io "b" is forbidden: user "bob" \(groups=\["system:authenticated"\]\) is attempting to grant RBAC permissions not currently held:\n\{APIGroups:\[""\], Resources:\["nodes"\], Verbs:\["get"\]\}$/,
    );
    const binding = {
      metadata: { name: 'c' },
      roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'User', name: 'bob' }],
    };
    assert.equal(
      (
        await server.call('POST', `${RBAC}/namespaces/default/rolebindings`, {
          headers: as('bob'),
          body: binding,
        })
      ).status,
      403,
    );
  });

  it('answers reviews of access', async (t) => {
    const server = await startTestServer(t);
    const review = async (user: string | undefined, attributes: Json): Promise<unknown> => {
      const body = await post(
        server,
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        { spec: { resourceAttributes: attributes } },
        user === undefined ? {} : as(user),
      );
      return valueAt(body, 'status', 'allowed');
    };
    assert.equal(await review(undefined, { verb: 'delete', resource: 'nodes' }), true);
    assert.equal(await review('bob', { verb: 'delete', resource: 'nodes' }), false);
    assert.equal(
      await review('bob', {
        verb: 'create',
        group: 'authorization.k8s.io',
        resource: 'selfsubjectaccessreviews',
      }),
      true,
    );
  });

  it('lets impersonate only who may', async (t) => {
    const server = await startTestServer(t);
    await withDefaultAccount(server);
    const body = await post(server, '/api/v1/namespaces/default/serviceaccounts/default/token', { spec: {} });
    const token = asString(valueAt(body, 'status', 'token'));
    const answer = await server.call('GET', '/api/v1/pods', { token, headers: as('alice') });
    assert.equal(
      answer.body.message,
      'users "alice" is forbidden: User "system:serviceaccount:default:default" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
    const alone = await server.call('GET', '/api/v1/pods', { headers: { 'impersonate-group': 'x' } });
    assert.deepEqual(
      [alone.status, alone.body.message],
      [400, 'requested impersonation without impersonating a user'],
    );
  });
});

describe('admission of pods', () => {
  it('needs their service account', async (t) => {
    const server = await startTestServer(t);
    const answer = await server.call('POST', '/api/v1/namespaces/default/pods', {
      body: podOf('p', { serviceAccountName: 'x' }),
    });
    assert.equal(answer.status, 403);
    assert.equal(
      answer.body.message,
      'pods "p" is forbidden: error looking up service account default/x: serviceaccount "x" not found',
    );
  });

  it("mounts the account's token into every container that does not mount something there", async (t) => {
    const server = await startTestServer(t);
    await withDefaultAccount(server);
    const pod = await post(
      server,
      '/api/v1/namespaces/default/pods',
      podOf('p', { automountServiceAccountToken: true }),
    );
    const [volume] = asList(valueAt(pod, 'spec', 'volumes'));
    assert.match(asString(asJson(volume).name), /^kube-api-access-.{5}$/);
    const [container] = asList(valueAt(pod, 'spec', 'containers'));
    assert.deepEqual(asJson(container).volumeMounts, [
      {
        name: asJson(volume).name,
        readOnly: true,
        mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
      },
    ]);
  });

  it('gives priority and tolerations', async (t) => {
    const server = await startTestServer(t);
    await withDefaultAccount(server);
    const pod = await post(
      server,
      '/api/v1/namespaces/default/pods',
      podOf('p', { priorityClassName: 'system-node-critical' }),
    );
    assert.equal(valueAt(pod, 'spec', 'priority'), 2_000_001_000);
    assert.equal(asList(valueAt(pod, 'spec', 'tolerations')).length, 2);
    const refused = await server.call('POST', '/api/v1/namespaces/default/pods', {
      body: podOf('q', { priorityClassName: 'nope' }),
    });
    assert.equal(refused.body.message, 'pods "q" is forbidden: no PriorityClass with name nope was found');
  });
});
