/** Experiments that stand on the command line. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { webApp } from '../support/manifests.ts';
import { temporaryFolder, turnsole } from '../support/turnsole.ts';

const PLAIN = ['--isolation', 'none', '--no-timeline'];
const SHORT = ['--set', 'TOTAL_CHAOS_DURATION=3', '--set', 'CHAOS_INTERVAL=3'];

test('a fault is injected without any manifest of chaos, and the saved file says the same', async () => {
  await using folder = await temporaryFolder();
  const [app, saved, first, second] = ['app.yaml', 'saved.yaml', '1.json', '2.json'].map((name) =>
    join(folder.path, name),
  ) as [string, string, string, string];
  await writeFile(app, webApp(2));
  const fault = [
    '--fault',
    'pod-delete',
    '--target',
    'deployment/web',
    '--probe',
    'http://web:8080/',
    ...SHORT,
  ];
  const ran = await turnsole(['run', ...fault, '--save', saved, '--json', first, ...PLAIN, app]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout, /default\/web-pod-delete +pod-delete +Pass +1\/1/);
  const again = await turnsole(['run', ...PLAIN, '--json', second, app, saved]);
  assert.equal(again.code, 0, again.stdout + again.stderr);
  const [one, other] = await Promise.all([first, second].map((file) => shapeOf(file)));
  assert.deepEqual(other, one);
  const refused = await turnsole(['run', ...fault, '--save', saved, ...PLAIN, app]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /--save .*saved\.yaml: it exists/);
});

/** What a report says of probes and targets, without what differs from run to run. */
async function shapeOf(file: string): Promise<unknown> {
  const { engines } = JSON.parse(await readFile(file, 'utf8'));
  return engines.map(({ name, experiments }: { name: string; experiments: readonly Shaped[] }) => ({
    name,
    experiments: experiments.map(({ verdict, targets, probes }) => ({
      verdict,
      targets: targets.map(({ kind, name: target, status }) => ({ kind, target, status })),
      probes: probes.map(({ name: probe, type, mode, verdict: judged }) => ({ probe, type, mode, judged })),
    })),
  }));
}

interface Shaped {
  readonly verdict: string;
  readonly targets: readonly { readonly kind: string; readonly name: string; readonly status: string }[];
  readonly probes: readonly {
    readonly name: string;
    readonly type: string;
    readonly mode: string;
    readonly verdict: string;
  }[];
}

test('engines among the files are not run beside it, and that is told; without files it is refused', async () => {
  await using folder = await temporaryFolder();
  const app = join(folder.path, 'app.yaml');
  const engine = `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata: { name: other }
spec: { appinfo: {}, experiments: [{ name: pod-cpu-hog }] }
`;
  await writeFile(app, [webApp(1), engine].join('---\n'));
  const fault = ['--fault', 'pod-delete', '--target', 'deployment/web', ...SHORT];
  const ran = await turnsole(['run', ...fault, '--no-probe', ...PLAIN, app]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout, /warning: ChaosEngine other is not run: --fault says what is/);
  assert.match(ran.stdout, /warning: pod-delete has no probe/);
  const refused = await turnsole(['run', ...fault]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /the application comes from files/);
});
