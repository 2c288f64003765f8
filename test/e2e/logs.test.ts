/** What the pods of a run print, and how chaos stands while it changes, as users ask for it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { chaosAccount, documents, engine, experiment, webApp } from '../support/manifests.ts';
import { type CommandOutcome, TurnsoleProcess, turnsole } from '../support/turnsole.ts';
import { applyText, type DetachedCluster, detachedCluster } from '../support/up.ts';

const RUNNER_LINE = /^web-chaos-runner: \{.*"component":"runner"/m;
const EXPERIMENT_LINE = /^pod-delete-\w+-\w+: \{.*"component":"experiment"/m;

describe('turnsole logs and turnsole status --watch', () => {
  let cluster: DetachedCluster;
  let followed: CommandOutcome;
  let watched: CommandOutcome;
  before(async () => {
    cluster = await detachedCluster();
    const { client, kubeconfig } = cluster;
    await applyText(client, documents(webApp(), chaosAccount(), experiment('pod-delete')));
    await using watch = new TurnsoleProcess(['status', '--watch', '--kubeconfig', kubeconfig]);
    await watch.line(/^0 engine\(s\)/);
    await applyText(client, engine());
    followed = await turnsole(['logs', 'web-chaos', '--follow', '--kubeconfig', kubeconfig]);
    await watch.line(/engine default\/web-chaos: completed, Pass/);
    watched = await watch.stop('SIGINT');
  });
  after(() => cluster[Symbol.asyncDispose]());

  const logs = (...args: string[]): Promise<CommandOutcome> =>
    turnsole(['logs', ...args, '--kubeconfig', cluster.kubeconfig]);

  it('follows a run from before its first pod to its end', () => {
    const { code, stdout, stderr } = followed;
    assert.equal(code, 0, stderr);
    assert.match(stdout, RUNNER_LINE);
    assert.match(stdout, EXPERIMENT_LINE);
  });

  it('prints again what has changed, until it is stopped', () => {
    const { code, stdout, stderr } = watched;
    assert.equal(code, 130, stderr);
    assert.match(stderr, /stopped by SIGINT; what runs in the cluster goes on/);
    const blocks = stdout.split(/^--- .*\n/m);
    assert.match(blocks[0] ?? '', /^chaos is not halted\n0 engine\(s\), 0 injection\(s\) in force\n?$/);
    assert.ok(
      blocks.some((block) => /^engine default\/web-chaos: initialized/m.test(block)),
      stdout,
    );
    assert.match(blocks.at(-1) ?? '', /^engine default\/web-chaos: completed, Pass/m);
    assert.ok(
      blocks.every((block, at) => at === 0 || block.trim() !== blocks[at - 1]?.trim()),
      stdout,
    );
  });

  it('prints the logs of a run that has ended, by the name of its result too', async () => {
    for (const name of ['web-chaos', 'web-chaos-pod-delete']) {
      const { code, stdout, stderr } = await logs(name);
      assert.equal(code, 0, stderr);
      assert.match(stdout, RUNNER_LINE);
      assert.match(stdout, EXPERIMENT_LINE);
    }
  });

  it('prints only one pod, only the last line, without its name', async () => {
    const { stdout } = await logs('web-chaos', 'web-chaos-runner', '--tail', '1', '--no-prefix');
    assert.match(stdout, /^\{.*"component":"runner".*\}$/);
  });

  it('refuses an engine that is not there, and expressions and times that cannot be read', async () => {
    const rows: readonly [args: readonly string[], expected: RegExp][] = [
      [
        ['absent'],
        /neither a ChaosEngine default\/absent nor results of one .*turnsole workflow logs absent/,
      ],
      [['web-chaos', '--grep', '('], /--grep: /],
      [['web-chaos', '--since-time', 'noon'], /--since-time: expected an RFC 3339 time, found noon/],
    ];
    for (const [args, expected] of rows) {
      const { code, stderr } = await logs(...args);
      assert.equal(code, 2, stderr);
      assert.match(stderr, expected);
    }
  });

  it('says why a pod of another name has nothing to show', async () => {
    const { code, stdout, stderr } = await logs('web-chaos', 'other');
    assert.deepEqual([code, stdout], [0, '']);
    assert.match(stderr, /no pod other belongs to the run of web-chaos; turnsole timeline web-chaos/);
  });
});
