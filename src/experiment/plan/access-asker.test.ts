/** Who answers for a service account, against the embedded API server's own authorizer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withToken } from '@turnsole/kube/client/config/with-token';
import { createClient } from '@turnsole/kube/client/index';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
} from '@turnsole/kube/kinds/core';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
} from '@turnsole/kube/kinds/resources';
import { startExperimentCluster } from '../../../test/support/experiment-cluster.ts';
import type { Fault } from '../injection/fault.ts';
import { compile } from '../injection/testing/builders.ts';
import { askAbout } from './access-asker.ts';
import { checkPermissions, formatPermissions, permissionsOf } from './permissions.ts';

const RBAC = 'rbac.authorization.k8s.io';

test('who answers for a service account', async (context) => {
  const cluster = await startExperimentCluster(context);
  const { client, config } = cluster;
  const namespace = await cluster.namespace();
  const place = { namespace };
  await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'chaos-sa' } }, place);
  await client.create<Role>(
    ROLES,
    {
      metadata: { name: 'chaos-sa' },
      rules: [
        { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
        // A Role cannot grant what belongs to no namespace, whatever it says.
        { apiGroups: [''], resources: ['nodes'], verbs: ['get'] },
      ],
    },
    place,
  );
  await client.create<RoleBinding>(
    ROLE_BINDINGS,
    {
      metadata: { name: 'chaos-sa' },
      subjects: [{ kind: 'ServiceAccount', name: 'chaos-sa', namespace }],
      roleRef: { apiGroup: RBAC, kind: 'Role', name: 'chaos-sa' },
    },
    place,
  );
  const clientOf = async (user: string, rules: PolicyRule[]) => {
    await client.create<ClusterRole>(CLUSTER_ROLES, { metadata: { name: user }, rules });
    await client.create<ClusterRoleBinding>(CLUSTER_ROLE_BINDINGS, {
      metadata: { name: user },
      subjects: [{ kind: 'User', name: user, apiGroup: RBAC }],
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: user },
    });
    const own = createClient({ ...config, impersonate: { user } });
    context.after(() => own.close());
    return own;
  };
  const reviews = {
    apiGroups: ['authorization.k8s.io'],
    resources: ['subjectaccessreviews'],
    verbs: ['create'],
  };
  const reviewer = await clientOf('reviewer', [reviews]);
  const nobody = await clientOf('nobody', []);
  const fault: Pick<Fault, 'targets' | 'permissions'> = {
    targets: 'none',
    permissions: [{ apiGroups: [''], resources: ['pods', 'nodes'], verbs: ['list', 'get'] }],
  };
  const { settings } = compile({ CHAOS_NAMESPACE: namespace });
  const needed = permissionsOf(fault, settings).filter(
    ({ group, verb }) => group === '' && (verb === 'list' || verb === 'get'),
  );
  const connect = (token: string) => createClient(withToken(config, token));
  const signal = new AbortController().signal;

  const cases = [
    {
      name: 'the account itself',
      by: client,
      connect,
      account: 'chaos-sa',
      source: 'self-subject-access-review',
    },
    {
      name: 'a review',
      by: client,
      connect: undefined,
      account: 'chaos-sa',
      source: 'subject-access-review',
    },
    {
      name: 'a review, without a token',
      by: reviewer,
      connect,
      account: 'chaos-sa',
      source: 'subject-access-review',
    },
    { name: 'nobody', by: nobody, connect, account: 'chaos-sa', source: 'not-allowed-to-ask' },
    {
      name: 'a review of an account that is not there',
      by: client,
      connect,
      account: 'ghost',
      source: 'subject-access-review',
    },
  ];
  for (const { name, by, connect: how, account, source } of cases) {
    await context.test(name, async () => {
      const asker = await askAbout(by, { namespace, name: account }, how, signal);
      const answer = await checkPermissions(asker, needed, signal);
      asker.close();
      assert.equal(answer.source, source);
      const missing = answer.checks.filter(({ allowed }) => allowed === false);
      if (source === 'not-allowed-to-ask') {
        assert.ok(answer.checks.every(({ allowed }) => allowed === undefined));
      } else {
        const pods = account === 'ghost' ? 'get/list' : 'get';
        const text = formatPermissions(missing);
        assert.ok(text.includes(`${pods} pods in namespace ${namespace}`), text);
        assert.ok(text.includes('list/get nodes in the cluster'), text);
      }
    });
  }
});
