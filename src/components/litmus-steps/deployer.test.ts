import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createLogger } from '@turnsole/kube/base/log';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Deployment, Pod, Service } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, NAMESPACES, PODS, SERVICES } from '@turnsole/kube/kinds/resources';
import { startChaosCluster } from '../../embedded/index.ts';
import { runDeployer } from './run-deployer.ts';

describe('litmus-app-deployer', () => {
  let cluster: Awaited<ReturnType<typeof startChaosCluster>>;
  let client: KubeClient;
  before(async () => {
    // Its pods end in phase Running by themselves and are ready at once.
    cluster = await startChaosCluster({ nodes: 1, runtime: 'simulated' });
    client = createClient(cluster.adminConfig);
  });
  after(async () => {
    client.close();
    await cluster.close({ graceMs: 0 });
  });

  /** Exit code, and what was logged. */
  async function deploy(...argv: readonly string[]): Promise<readonly [number, string]> {
    const lines: string[] = [];
    const logger = createLogger({ component: 'deployer', write: (line) => lines.push(line) });
    const code = await runDeployer(argv, {}, { client, logger });
    return [code, lines.join('')];
  }

  it('makes the namespace, waits until all pods are ready, and takes everything away again', async () => {
    const [code, log] = await deploy('-namespace=podtato', '-app=podtato-head', '-typeName=resilient');
    assert.equal(code, 0, log);
    const place = { namespace: 'podtato' };
    assert.ok((await client.find(NAMESPACES, 'podtato')) !== undefined);
    const pods = await client.list<Pod>(PODS, { ...place, labelSelector: 'app=podtato-head' });
    assert.equal(pods.items.length, 12);
    const service = await client.get<Service>(SERVICES, 'podtato-main', place);
    assert.equal(service.spec?.ports?.[0]?.port, 9000);

    assert.equal((await deploy('-namespace=podtato', '-app=podtato-head', '-operation=delete'))[0], 0);
    assert.deepEqual((await client.list(PODS, place)).items, []);
    assert.deepEqual((await client.list(DEPLOYMENTS, place)).items, []);
  });

  it('applies again over what is there, and refuses to create it again', async () => {
    const flags = ['-namespace', 'default', '-app', 'loadtest', '-scope', 'namespace'];
    assert.equal((await deploy(...flags))[0], 0);
    assert.equal((await deploy(...flags, '-typeName=resilient'))[0], 0);
    const { spec } = await client.get<Deployment>(DEPLOYMENTS, 'loadtest', { namespace: 'default' });
    assert.equal(spec?.replicas, 2);
    const [code, log] = await deploy(...flags, '-operation=create');
    assert.equal(code, 1);
    assert.match(log, /already exists/);
  });

  it('makes no namespace in namespace scope', async () => {
    const [code, log] = await deploy('-namespace=nowhere', '-app=loadtest', '-scope=namespace');
    assert.equal(code, 1);
    assert.match(log, /nowhere/);
  });

  it('gives up when pods are not ready in time', async () => {
    const [code, log] = await deploy('-namespace=late', '-app=sock-shop', '-timeout=0');
    assert.equal(code, 1);
    assert.match(log, /waited 0 ms/);
  });

  for (const [argv, said] of [
    [['-namespace=a'], /flag -app is missing; it is one of sock-shop/],
    [['-app=sock-shop'], /flag -namespace is missing/],
    [['-namespace=a', '-app=cart-shop'], /\\"cart-shop\\" is none of sock-shop, podtato-head/],
    [['-namespace=a', '-app=loadtest', '-operation=patch'], /is none of apply, create, delete/],
    [['-namespace=a', '-app=loadtest', '-scope=all'], /is none of cluster, namespace/],
    [['-namespace=a', '-app=loadtest', '-timeout=soon'], /is no whole number/],
  ] as const) {
    it(`ends with 1 for ${argv.join(' ')}`, async () => {
      const [code, log] = await deploy(...argv);
      assert.equal(code, 1);
      assert.match(log, said);
    });
  }
});
