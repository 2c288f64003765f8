/** The accounts that `turnsole faults chart` makes allow what a run of the fault asks. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { PlanDocument } from '../../src/services/plan/plan-document.ts';
import { documents, engine, webApp } from '../support/manifests.ts';
import { temporaryFolder, turnsole } from '../support/turnsole.ts';

/** An engine of node-cpu-hog with its own account and an application whose health is looked at, by its name. */
const NAMED = engine({
  account: 'node-cpu-hog-sa',
  experiments: [
    { name: 'node-cpu-hog', env: { TOTAL_CHAOS_DURATION: '1', NODE_CPU_CORE: '1', CPU_LOAD: '5' } },
  ],
}).replace(
  / {2}appinfo: .*\n/,
  '  selectors: { workloads: [{ kind: deployment, namespace: default, names: web }] }\n',
);

test('node-cpu-hog looks at the health of a deployment under the account of its chart', async () => {
  await using folder = await temporaryFolder();
  const chart = await turnsole(['faults', 'chart', 'node-cpu-hog', '--image', 'turnsole/turnsole']);
  assert.equal(chart.code, 0, chart.stderr);
  const file = join(folder.path, 'chaos.yaml');
  await writeFile(file, documents(webApp(1), chart.stdout, NAMED));
  const { code, stdout, stderr } = await turnsole(['run', file]);
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /the application is healthy before chaos/);
  assert.match(stdout, /default\/web-chaos +node-cpu-hog +Pass/);
});

test('a plan finds that an account may not look at the health of a deployment', async () => {
  await using folder = await temporaryFolder();
  const chart = await turnsole(['faults', 'chart', 'node-cpu-hog', '-o', 'yaml']);
  const file = join(folder.path, 'chaos.yaml');
  await writeFile(file, documents(webApp(1), chart.stdout.replaceAll('- replicasets', '- nothing'), NAMED));
  const { code, stdout, stderr } = await turnsole(['plan', file, '-o', 'json']);
  assert.equal(code, 2, stdout + stderr);
  const [planned] = (JSON.parse(stdout) as PlanDocument).engines;
  assert.deepEqual(
    planned?.serviceAccount.missing.map(({ verb, resource }) => `${verb} ${resource}`),
    ['list replicasets'],
  );
});
