/** `turnsole server`, `connect --local` and `remote` as the processes that users start, with the agent on the embedded cluster. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CommandOutcome, TurnsoleProcess, temporaryFolder, turnsole } from '../support/turnsole.ts';

const TIMEOUT_MS = 300_000;
const ENGINE = `apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata: { name: nothing, namespace: litmus }
spec:
  engineState: active
  chaosServiceAccount: litmus-admin
  experiments: [{ name: pod-delete }]
`;

test('two commands: a server, and a cluster whose agent is connected', { timeout: TIMEOUT_MS }, async () => {
  await using folder = await temporaryFolder();
  const home = folder.path;
  const env = {
    ...{ HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') },
    ...{ TURNSOLE_SERVER: '', TURNSOLE_TOKEN: '', TURNSOLE_PROJECT: '' },
  };
  const succeeds = async (...args: string[]): Promise<CommandOutcome> => {
    const outcome = await turnsole(args, env);
    assert.equal(outcome.code, 0, `${args.join(' ')}\n${outcome.stdout}\n${outcome.stderr}`);
    return outcome;
  };
  const none = await turnsole(['connect', '--local'], env);
  assert.equal(none.code, 3);
  assert.match(
    none.stderr,
    /^turnsole: there is no server: start one with "turnsole server".*\[NOT_SIGNED_IN\]$/m,
  );

  await using server = new TurnsoleProcess(['server', '--data', join(home, 'data'), '--listen', '0'], env);
  const url = (await server.line(/^ {2}address /)).split(/\s+/)[2] ?? '';
  const password = (await server.line(/^ {2}password /)).split(/\s+/)[2] ?? '';
  try {
    const first = await succeeds('connect', '--local');
    assert.match(first.stdout, /^infrastructure local registered \([0-9a-f-]{36}\)$/m);
    assert.match(first.stdout, /^agent connected, version \d+\.\d+\.\d+/m);
    assert.match(first.stdout, /^ {2}npx turnsole remote experiment save chaos.yaml --infra local$/m);
    const again = await succeeds('connect', '--local');
    assert.match(again.stdout, /^infrastructure local is known /m);
    assert.match(again.stdout, /^agent connected, version /m);

    // Another one, by its kubeconfig and by its name.
    const absent = await turnsole(['connect', '--local', 'shop'], env);
    assert.equal(absent.code, 3);
    assert.match(
      absent.stderr,
      /no embedded cluster named shop runs \(others: default\); start it with "turnsole up --detach --name shop"/,
    );
    const kubeconfig = join(home, 'shop.kubeconfig');
    await succeeds('up', '--detach', '--name', 'shop', '--port', '0', '--kubeconfig', kubeconfig);
    const byFile = await succeeds('connect', '--kubeconfig', kubeconfig, '--name', 'shop');
    assert.match(byFile.stdout, /^agent connected, version /m);
    const byName = await succeeds('connect', '--local', 'shop');
    assert.match(byName.stdout, /^infrastructure shop is known /m);

    const wrong = await turnsole(['remote', 'login', url], { ...env, TURNSOLE_PASSWORD: 'wrong' });
    assert.deepEqual(
      [wrong.code, wrong.stderr],
      [2, `turnsole: ${url}: admin cannot sign in with this password [REMOTE_REFUSED]\n`],
    );
    const login = await turnsole(['remote', 'login', url], { ...env, TURNSOLE_PASSWORD: password });
    assert.equal(login.code, 0, login.stderr);
    const infras = await succeeds('remote', 'infra', 'list');
    assert.match(infras.stdout, /^local +default +cluster +connected /m);
    await writeFile(join(home, 'chaos.yaml'), ENGINE);
    await succeeds('remote', 'experiment', 'save', join(home, 'chaos.yaml'), '--infra', 'local');
    const run = await turnsole(['remote', 'experiment', 'run', 'nothing', '--wait'], env);
    // The embedded cluster has no ChaosExperiment of that name.
    assert.equal(run.code, 1, run.stderr);
    const lines =
      /^run of nothing ordered .*\n(Queued\n)?(Running .*\n)?Completed_With_Error \(([0-9a-f-]{36})\)\nError: pod-delete: its ChaosExperiment does not exist\nscore none, 0 of 1 faults passed$/;
    const [, , , runID = ''] = lines.exec(run.stdout) ?? [];
    assert.notEqual(runID, '', run.stdout);
    const waited = await turnsole(['remote', 'run', 'wait', runID], env);
    assert.deepEqual([waited.code, waited.stdout.split('\n').length], [1, 3]);
    const logs = await succeeds('remote', 'run', 'logs', runID);
    assert.match(logs.stdout, /^== /);
  } finally {
    await succeeds('down', '--all');
  }
  const ended = await server.stop('SIGTERM');
  assert.equal(ended.code, 0, ended.stderr);
});
