/** What the API server asks the webhook, with users of its own. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { isAccessAllowed } from '@turnsole/kube/client/access-review';
import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import { ROLE_BINDINGS, ROLES } from '@turnsole/kube/kinds/resources';
import { CHAOS_ENGINES, type ChaosEngine, type ChaosEngineSpec } from '../../src/api/index.ts';
import { askUntil } from '../../src/experiment/injection/ask-until.ts';
import { noCluster } from './support/settings.ts';
import { Shop } from './support/shop.ts';

const GRANT_LIMIT_MS = 20_000;

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const ENGINES = { apiGroups: ['litmuschaos.io'], resources: ['chaosengines'], verbs: ['*'] };
const PODS_TOO = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'delete', 'patch'] };

describe('the admission webhook on a cluster', { skip: noCluster }, () => {
  let shop: Shop;
  before(async () => {
    shop = await Shop.open();
  });
  after(() => shop?.close());

  /** A user with these rights in the shop, as the API server sees her. */
  async function as<T>(rules: readonly Rule[], act: (client: KubeClient) => Promise<T>): Promise<T> {
    const { client, namespace } = shop;
    const name = `user-${randomUUID().slice(0, 6)}`;
    const api = 'rbac.authorization.k8s.io';
    await client.create(ROLES, { metadata: { name }, rules } as never, { namespace });
    const binding = {
      metadata: { name },
      roleRef: { apiGroup: api, kind: 'Role', name },
      subjects: [{ apiGroup: api, kind: 'User', name }],
    };
    await client.create(ROLE_BINDINGS, binding as never, { namespace });
    const config = await loadKubeconfig({ path: shop.settings.kubeconfig });
    const user = createClient({ ...config, impersonate: { user: name } });
    try {
      await untilGranted(user, rules);
      return await act(user);
    } finally {
      user.close();
      await client.delete(ROLE_BINDINGS, name, { namespace });
      await client.delete(ROLES, name, { namespace });
    }
  }

  /** An API server learns of new roles a moment after it has stored them, and tells nobody when: it is asked until it knows. */
  async function untilGranted(user: KubeClient, rules: readonly Rule[]): Promise<void> {
    for (const { apiGroups, resources, verbs } of rules) {
      const attributes = {
        namespace: shop.namespace,
        group: apiGroups[0] ?? '',
        resource: resources[0] ?? '',
        verb: verbs[0] ?? '',
      };
      const { signal } = new AbortController();
      const granted = await askUntil({
        clock: systemClock,
        signal,
        timeoutMs: GRANT_LIMIT_MS,
        ask: async () => (await isAccessAllowed(user, undefined, attributes, signal)) || undefined,
      });
      assert.equal(granted, true, `the role of a new user is not in force after ${GRANT_LIMIT_MS} ms`);
    }
  }

  /** Asks the API server to create an engine, for show. */
  function create(client: KubeClient, spec: object): Promise<ChaosEngine> {
    const { namespace } = shop;
    const whole = {
      engineState: 'active',
      chaosServiceAccount: 'pod-delete-sa',
      appinfo: { appns: namespace, applabel: 'app=none', appkind: 'deployment' },
      experiments: [{ name: 'pod-delete' }],
      ...spec,
    } as ChaosEngineSpec;
    const engine = { metadata: { name: `w-${randomUUID().slice(0, 6)}` }, spec: whole };
    return client.create<ChaosEngine>(CHAOS_ENGINES, engine, { namespace, dryRun: true });
  }

  it('refuses what is not valid, with the path of the field', async () => {
    await assert.rejects(
      create(shop.client, { experiments: [{ name: 'pod-delete' }, { name: 'pod-delete' }] }),
      /admission webhook "create\.turnsole\.io" denied the request: .*spec\.experiments\[1\]\.name/,
    );
  });

  it('lets who may delete pods delete them, and nobody else', async () => {
    await as([ENGINES, PODS_TOO], (client) => create(client, {}));
    await assert.rejects(
      as([ENGINES], (client) => create(client, {})),
      /admission webhook "create\.turnsole\.io" denied the request: .*delete pods/s,
    );
  });

  it('asks for the namespace of the targets, not that of the engine', async () => {
    const elsewhere = { appinfo: { appns: 'kube-public', applabel: 'app=none', appkind: 'deployment' } };
    await assert.rejects(
      as([ENGINES, PODS_TOO], (client) => create(client, elsewhere)),
      /denied the request: .*kube-public/s,
    );
  });

  it('never stands in the way of an abort', async () => {
    const app = await shop.app(1);
    const run = await shop.run({ app, env: { TOTAL_CHAOS_DURATION: '600', CHAOS_INTERVAL: '600' } });
    await run.injected();
    await as([ENGINES], (client) =>
      client.patch(CHAOS_ENGINES, run.name, 'merge', { spec: { engineState: 'stop' } }, shop),
    );
    assert.equal((await run.ended()).status?.engineStatus, 'stopped');
    await shop.removeApp(app);
  });
});
