/** Turnsole over what LitmusChaos' manifests have made, as `kubectl apply` makes it, and back again (docs/migrate.md). */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { NAMESPACES } from '@turnsole/kube/kinds/resources';
import { parse } from 'yaml';
import { CHAOS_EXPERIMENTS, type ChaosExperiment } from '../../src/api/index.ts';
import { temporaryFolder } from '../support/turnsole.ts';
import { output } from '../support/up.ts';
import { installArguments } from './support/installation.ts';
import { accountReady, TEST_NAMESPACE } from './support/namespaces.ts';
import { noCluster } from './support/settings.ts';
import { type App, ENDLESS, type EngineRun, Shop } from './support/shop.ts';

/** The chart of pod-delete with the permissions that it asks for. */
const CHART = new URL('../../examples/quickstart/2-pod-delete.yaml', import.meta.url);

describe('moving from LitmusChaos on a cluster', { skip: noCluster }, () => {
  let shop: Shop;
  let app: App;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let file: string;
  let running: EngineRun;

  const kubectlApply = (): Promise<string> =>
    output('kubectl', ['--kubeconfig', shop.settings.kubeconfig, 'apply', '-n', shop.namespace, '-f', file]);
  const install = async (): Promise<string> => {
    const { settings } = shop;
    const args = installArguments({ ...settings, shop: `${settings.shop},${shop.namespace}` });
    const { code, stdout, stderr } = await shop.turnsole(...args);
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  };
  const definition = async (): Promise<ChaosExperiment['spec']['definition']> =>
    (await shop.client.get<ChaosExperiment>(CHAOS_EXPERIMENTS, 'pod-delete', shop)).spec.definition;

  before(async () => {
    const opened = await Shop.open();
    const { client, settings } = opened;
    const namespace = `${settings.namespace}-moved`;
    await client.create(NAMESPACES, { metadata: { name: namespace, labels: TEST_NAMESPACE } });
    await accountReady(client, namespace);
    opened.close();
    shop = await Shop.open(namespace);
    const text = await readFile(CHART, 'utf8');
    folder = await temporaryFolder();
    file = join(folder.path, 'pod-delete.yaml');
    await writeFile(file, text.replaceAll('namespace: default', `namespace: ${namespace}`));
    await kubectlApply();
    app = await shop.app(2);
  });
  after(async () => {
    await folder?.[Symbol.asyncDispose]();
    await shop?.client.delete(NAMESPACES, shop.namespace);
    shop?.close();
  });

  it("an engine of LitmusChaos' experiment runs, and goes on when Turnsole is installed over it", async () => {
    running = await shop.run({ app, env: ENDLESS });
    await running.injected();
    const said = await install();
    assert.match(
      said,
      new RegExp(
        `^ChaosExperiment ${shop.namespace}/pod-delete changed\\n {2}image "\\S+", command \\["/bin/bash"\\], args .* of kubectl-client-side-apply replaced\\n` +
          ' {2}env stays as kubectl-client-side-apply has written it; other than by default: ',
        'm',
      ),
    );
    assert.match(
      said,
      /^Role \S+\/pod-delete-sa changed\n {2}rights of kubectl-client-side-apply .* are gone: /m,
    );
    const { status } = await running.until(() => true);
    assert.equal(status?.experiments?.[0]?.status, 'Running');
    await running.set({ engineState: 'stop' });
    const stopped = await running.until(({ status: now }) => now?.engineStatus === 'stopped');
    assert.equal(stopped.status?.experiments?.[0]?.verdict, 'Stopped');
    await running.nothingLeft();
  });

  it('engines run what was installed, with the settings of before, and it stays so', async () => {
    const { command, args, env } = await definition();
    assert.deepEqual(command, []);
    assert.deepEqual(args, ['experiment', '-name', 'pod-delete']);
    const before = parse((await readFile(file, 'utf8')).split('\n---\n')[0] ?? '') as ChaosExperiment;
    assert.deepEqual(env, before.spec.definition.env);
    const run = await shop.run({ app });
    assert.equal(await run.verdict(), 'Pass', JSON.stringify((await run.result()).status));
    assert.doesNotMatch(await install(), / (created|changed)$/m);
  });

  it("a single fault goes back by LitmusChaos' manifest, and forward again", async () => {
    await kubectlApply();
    const { command, args, image } = await definition();
    assert.deepEqual(
      { command, args, image },
      {
        command: ['/bin/bash'],
        args: ['-c', './experiments -name pod-delete'],
        image: 'litmuschaos/go-runner:latest',
      },
    );
    const back = await shop.run({ app });
    assert.equal(await back.verdict(), 'Pass', JSON.stringify((await back.result()).status));
    await install();
    assert.deepEqual((await definition()).command, []);
    const forward = await shop.run({ app });
    assert.equal(await forward.verdict(), 'Pass', JSON.stringify((await forward.result()).status));
  });
});
