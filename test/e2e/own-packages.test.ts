/** The project's own packages as somebody else gets them: packed, unpacked below node_modules of an empty folder, run and type-checked there. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { findProgram } from '@turnsole/kube/base/machine';
import { startApi } from '@turnsole/kube/testing/api';
import { publishedManifest } from '../../build/own-package.ts';
import { type InstalledPackages, installPackages } from '../support/installed-packages.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
let packages: InstalledPackages;

before(async () => {
  packages = await installPackages(['cluster', 'kube', 'workflows']);
});
after(() => packages?.[Symbol.asyncDispose]());

/** What a program prints. */
async function printed(file: string, ...args: readonly string[]): Promise<string> {
  return (await run(process.execPath, [file, ...args], { cwd: packages.path })).stdout;
}

test('kube, packed and installed elsewhere, lists what a cluster has', async () => {
  const program = `
    import { createClient, loadKubeconfig, NAMESPACES } from '@turnsole/kube';
    import { parseQuantity, quantityToNumber } from '@turnsole/kube/text/quantity';

    const client = createClient(await loadKubeconfig({ path: process.argv[2] }));
    const { items } = await client.list(NAMESPACES);
    console.log(items.map(({ metadata }) => metadata.name).join(), quantityToNumber(parseQuantity('1Ki')));
    client.close();
  `;
  await writeFile(join(packages.path, 'list.js'), program);
  await using api = await startApi(createApiServer);
  assert.match(await printed('list.js', api.server.kubeconfigPath), /^default,.*kube-system.* 1024\n$/);
});

test('cluster, packed and installed elsewhere: twelve lines start one, and kubectl gets its nodes', async (t) => {
  if (findProgram('kubectl') === undefined) return t.skip('there is no kubectl');
  const program = `import { execFile } from 'node:child_process';
    import { promisify } from 'node:util';
    import { startCluster } from '@turnsole/cluster';

    const cluster = await startCluster({ nodes: 2 });
    const args = ['--kubeconfig', cluster.kubeconfig, 'get', 'nodes', '--no-headers'];
    console.log((await promisify(execFile)('kubectl', args)).stdout);
    await cluster.close();
  `;
  await writeFile(join(packages.path, 'nodes.js'), program);
  assert.match(await printed('nodes.js'), /^turnsole-1 +Ready .*\nturnsole-2 +Ready /);
});

test('the example controller of kube works on a cluster; both are a strict program with the declarations that are published', async () => {
  await cp(join(ROOT, 'packages/kube/examples/budgets.ts'), join(packages.path, 'budgets.ts'));
  const program = `import { startCluster } from '@turnsole/cluster';
    import { useCluster } from '@turnsole/cluster/testing';
    import { DEPLOYMENTS, type Deployment, POD_DISRUPTION_BUDGETS } from '@turnsole/kube';
    import { keepBudgets } from './budgets.js';

    await using cluster = await startCluster({ nodes: 2, simulated: true });
    const stop = new AbortController();
    const running = keepBudgets(cluster.client, stop.signal);
    const labels = { app: 'web' };
    await cluster.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'shop' }] } },
      },
    });
    const web = await cluster.waitFor<Deployment>(DEPLOYMENTS, 'web', 'Available');
    const budget = await cluster.waitFor(POD_DISRUPTION_BUDGETS, 'web', (found) => found !== undefined);
    stop.abort();
    await running;
    console.log(web.status?.availableReplicas, budget?.metadata.name, typeof useCluster);
  `;
  await writeFile(join(packages.path, 'program.ts'), program);
  await packages.compile('budgets.ts', 'program.ts');
  assert.equal(await printed('out/program.js'), '2 web function\n');
});

test('workflows, packed and installed elsewhere: its example plays a workflow, as a strict program', async () => {
  await cp(join(ROOT, 'packages/workflows/examples/play.ts'), join(packages.path, 'play.ts'));
  const program = `import { play } from './play.js';
    const spec = { entrypoint: 'main', templates: [{ name: 'main', container: { image: 'shop' } }] };
    const workflow = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata: { name: 'once' }, spec };
    console.log(JSON.stringify(play(JSON.stringify(workflow), () => ({ exitCode: 0 }))));
  `;
  await writeFile(join(packages.path, 'workflow.ts'), program);
  await packages.compile('play.ts', 'workflow.ts');
  assert.equal(await printed('out/workflow.js'), '{"phase":"Succeeded","pods":["once"]}\n');
});

test('what is published leads to what was compiled, and says nothing of the checkout', () => {
  const manifest = {
    name: 'a',
    private: true,
    devDependencies: { b: '1' },
    exports: { '.': './src/index.ts', './*': './src/*.ts' },
  };
  assert.deepEqual(publishedManifest(manifest), {
    name: 'a',
    files: ['lib'],
    sideEffects: false,
    exports: {
      '.': { types: './lib/index.d.ts', default: './lib/index.js' },
      './*': { types: './lib/*.d.ts', default: './lib/*.js' },
    },
  });
});
