/** What doctor says is what this machine does. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder, turnsole } from '../support/turnsole.ts';

interface Found {
  readonly name: string;
  readonly state: string;
  readonly found: string;
}

function byName(stdout: string): Readonly<Record<string, Found>> {
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Found[] };
  return Object.fromEntries(findings.map((one) => [one.name, one]));
}

test('of a machine: the cluster starts, and root, memory and load are as they are', async () => {
  const { code, stdout, stderr } = await turnsole(['doctor', '-o', 'json']);
  assert.equal(code, 0, stderr);
  const found = byName(stdout);
  assert.equal(found['embedded-cluster']?.state, 'works');
  // An ordinary user who may make namespaces has isolated pods where a run needs them.
  assert.equal(found['root']?.state, found['user-namespaces'] === undefined ? 'works' : 'limited');
  for (const name of ['node', 'namespaces', 'tools', 'faults', 'kubectl', 'memory', 'load'])
    assert.ok(found[name], name);
  const text = await turnsole(['doctor']);
  assert.match(text.stdout, /^ok +node +Node 24/m);
});

test('of a cluster: an embedded one runs engines; one that is not there does not', async () => {
  await using folder = await temporaryFolder();
  const env = { XDG_STATE_HOME: folder.path };
  const kubeconfig = join(folder.path, 'kc');
  const name = ['--name', 'doctor-test'];
  const up = await turnsole(
    ['up', '--detach', ...name, '--kubeconfig', kubeconfig, '--isolation', 'none'],
    env,
  );
  assert.equal(up.code, 0, up.stderr);
  try {
    const { code, stdout, stderr } = await turnsole(
      ['doctor', '--kubeconfig', kubeconfig, '-o', 'json'],
      env,
    );
    assert.equal(code, 0, stderr);
    const found = byName(stdout);
    for (const one of ['cluster', 'kinds', 'operator', 'rights', 'pod-security', 'admission'])
      assert.equal(found[one]?.state, 'works', `${one}: ${found[one]?.found}`);
  } finally {
    await turnsole(['down', ...name], env);
  }
  const gone = await turnsole(['doctor', '--kubeconfig', kubeconfig], env);
  assert.equal(gone.code, 3);
});
