/** What is wrong in the files is refused before a cluster is started, and before anything is applied to one that is there. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import type { PlanDocument } from '../../src/services/plan/plan-document.ts';
import { chaosAccount, documents, engine, experiment, webApp } from '../support/manifests.ts';
import { temporaryFolder, turnsole } from '../support/turnsole.ts';
import { applyText, type DetachedCluster, detachedCluster } from '../support/up.ts';

const HUGE = '99999999999999999999';
const DURATION = `TOTAL_CHAOS_DURATION is "${HUGE}"; expected a whole number of seconds from 1 to 604800`;
const withDuration = (value: string): string =>
  engine({ experiments: [{ name: 'pod-delete', env: { TOTAL_CHAOS_DURATION: value } }] });

/** What is wrong, and the words for it. */
const TABLE: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['a duration without end', [chaosAccount(), experiment('pod-delete'), withDuration(HUGE)], /604800/],
  ['a negative one', [chaosAccount(), experiment('pod-delete'), withDuration('-5')], /DURATION is "-5"/],
  [
    'an account that nobody makes',
    [experiment('pod-delete'), engine()],
    /service account default\/chaos-sa not found/,
  ],
  [
    'an experiment that nobody brings',
    [chaosAccount(), engine()],
    /ChaosExperiment default\/pod-delete not found/,
  ],
  [
    'a fault that there is not',
    [chaosAccount(), experiment('pod-delet'), engine({ experiments: [{ name: 'pod-delet' }] })],
    /did you mean pod-delete\?/,
  ],
];

test('nothing is started for files that are wrong', async (t) => {
  for (const [name, texts, expected] of TABLE) {
    await t.test(name, async () => {
      await using folder = await temporaryFolder();
      const file = join(folder.path, 'chaos.yaml');
      await writeFile(file, documents(webApp(), ...texts));
      const run = await turnsole(['run', file]);
      assert.equal(run.code, 2, run.stdout + run.stderr);
      assert.match(run.stderr, expected);
      assert.doesNotMatch(run.stdout, /cluster ready|applied/);
      const plan = await turnsole(['plan', file, '-o', 'json']);
      assert.equal(plan.code, 2, plan.stderr);
      const { engines } = JSON.parse(plan.stdout) as PlanDocument;
      assert.match(engines[0]?.problems.map(({ message }) => message).join('\n') ?? '', expected);
      assert.equal(plan.stderr, '');
    });
  }
});

test('a probe that reads what no probe gives is refused before anything is looked for', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'chaos.yaml');
  const texts = [
    chaosAccount(),
    experiment('pod-delete'),
    engine({
      experiments: [
        {
          name: 'pod-delete',
          probes: `[{ name: p, type: cmdProbe, mode: SOT, runProperties: { probeTimeout: 1s, interval: 1s },
          cmdProbe/inputs: { command: 'echo {{ .other.ProbeArtifacts.Register }}', comparator: { type: string, criteria: equal, value: 'x' } } }]`,
        },
      ],
    }),
  ];
  await writeFile(file, documents(webApp(), ...texts));
  for (const command of [['run'], ['plan', '-o', 'json']]) {
    const { code, stdout, stderr } = await turnsole([...command, file]);
    assert.equal(code, 2, stdout + stderr);
    assert.match(stderr, /template uses 'other', which is no cmdProbe of this experiment \[FIELD_INVALID\]/);
    assert.equal(stdout, '');
  }
});

describe('on a cluster that is there', () => {
  let cluster: DetachedCluster;
  before(async () => {
    cluster = await detachedCluster(['--isolation', 'none']);
  });
  after(() => cluster[Symbol.asyncDispose]());

  test('nothing is applied, be the experiment in the files or in the cluster', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'chaos.yaml');
    const kubeconfig = ['--kubeconfig', cluster.kubeconfig];
    const runWith = async (...texts: readonly string[]): Promise<string> => {
      await writeFile(file, documents(webApp(), ...texts));
      const { code, stdout, stderr } = await turnsole(['run', file, ...kubeconfig]);
      assert.equal(code, 2, stdout + stderr);
      assert.deepEqual((await cluster.client.list(DEPLOYMENTS, { namespace: 'default' })).items, []);
      return stderr;
    };
    assert.ok(
      (await runWith(chaosAccount(), experiment('pod-delete'), withDuration(HUGE))).includes(DURATION),
    );
    assert.match(await runWith(experiment('pod-delete'), engine()), /account default\/chaos-sa not found/);
    assert.match(await runWith(chaosAccount(), engine()), /ChaosExperiment default\/pod-delete not found/);
    await applyText(cluster.client, experiment('pod-delete'));
    assert.ok((await runWith(chaosAccount(), withDuration(HUGE))).includes(DURATION));
  });
});
