import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { RunReport } from '../../src/services/report/model.ts';
import { chaosAccount, documents, engine, experiment, webApp, webProbe } from '../support/manifests.ts';
import { type CommandOutcome, TurnsoleProcess, temporaryFolder, turnsole } from '../support/turnsole.ts';

const APP = [webApp(), chaosAccount(), experiment('pod-delete'), experiment('container-kill')];

/** Runs manifests given as text; returns how the command ended and its JSON report. */
async function runManifests(
  texts: readonly string[],
  args: readonly string[] = [],
): Promise<CommandOutcome & { report?: RunReport; junit?: string }> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'chaos.yaml');
  const json = join(folder.path, 'report.json');
  const junit = join(folder.path, 'junit.xml');
  await writeFile(file, documents(...texts));
  const outcome = await turnsole(['run', file, '--json', json, '--junit', junit, ...args]);
  const report = await readFile(json, 'utf8').then(JSON.parse, () => undefined);
  return { ...outcome, report, junit: await readFile(junit, 'utf8').catch(() => undefined) };
}

describe('turnsole run', { concurrency: 2 }, () => {
  it('ends with 0 when every verdict is Pass, and reports it', async () => {
    const outcome = await runManifests([
      ...APP,
      engine({ experiments: [{ name: 'pod-delete', probes: webProbe('Edge') }] }),
    ]);
    assert.equal(outcome.code, 0, outcome.stdout + outcome.stderr);
    const result = outcome.report?.engines[0]?.experiments[0];
    assert.equal(result?.verdict, 'Pass');
    assert.equal(result?.probeSuccessPercentage, '100');
    assert.deepEqual(result?.targets, [{ kind: 'deployment', name: 'web', status: 'targeted' }]);
    assert.match(outcome.stdout, /default\/web-chaos\s+pod-delete\s+Pass\s+1\/1/);
    assert.match(outcome.junit ?? '', /<testsuite name="default\/web-chaos" tests="1" failures="0"/);
  });

  it('ends with 1 when a probe fails, and says which and why', async () => {
    const probes = webProbe('EOT', '418');
    const outcome = await runManifests([...APP, engine({ experiments: [{ name: 'pod-delete', probes }] })]);
    assert.equal(outcome.code, 1, outcome.stdout + outcome.stderr);
    const result = outcome.report?.engines[0]?.experiments[0];
    assert.equal(result?.verdict, 'Fail');
    assert.equal(result?.phase, 'Completed_With_Probe_Failure');
    assert.equal(result?.probes[0]?.verdict, 'Failed');
    assert.match(outcome.stdout, /probe web: .*418/);
    assert.match(outcome.junit ?? '', /<failure message="/);
  });

  it('runs two experiments of one engine in order', async () => {
    const experiments = [{ name: 'pod-delete' }, { name: 'container-kill' }];
    const outcome = await runManifests([...APP, engine({ experiments })]);
    assert.equal(outcome.code, 0, outcome.stdout + outcome.stderr);
    const [first, second] = outcome.report?.engines[0]?.experiments ?? [];
    assert.deepEqual([first?.verdict, second?.verdict], ['Pass', 'Pass']);
    assert.ok(
      (first?.endedAt ?? '') <= (second?.startedAt ?? ''),
      'the second started before the first had ended',
    );
  });

  it('stops, reverts and ends with 130 on Ctrl-C', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'chaos.yaml');
    const json = join(folder.path, 'report.json');
    const env = { TOTAL_CHAOS_DURATION: '600', CHAOS_INTERVAL: '600' };
    await writeFile(file, documents(...APP, engine({ experiments: [{ name: 'pod-delete', env }] })));
    await using command = new TurnsoleProcess(['run', file, '--json', json]);
    await command.line(/delet.*pod/i);
    const outcome = await command.stop('SIGINT');
    assert.equal(outcome.code, 130, outcome.stdout + outcome.stderr);
    const report = JSON.parse(await readFile(json, 'utf8')) as RunReport;
    assert.equal(report.engines[0]?.status, 'stopped');
    assert.equal(report.engines[0]?.experiments[0]?.verdict, 'Stopped');
  });
});

/** What is wrong, and what the message must say: file and line, object, field, found and expected. */
const BAD_INPUT: readonly { name: string; manifests: readonly string[]; message: RegExp }[] = [
  { name: 'a file that is no YAML', manifests: ['a: [1'], message: /chaos\.yaml:\d+: not valid YAML/ },
  {
    name: 'an unknown kind',
    manifests: ['apiVersion: apps/v1\nkind: Deploymnt\nmetadata: { name: x }', ...APP, engine()],
    message: /chaos\.yaml:2: Deploymnt x: kind: unknown kind Deploymnt in apps\/v1/,
  },
  {
    name: 'a missing field',
    manifests: [...APP, engine().replace(/^.*- name: pod-delete$/m, '    - nam: pod-delete')],
    message: /ChaosEngine web-chaos: spec\.experiments\[0\]\.name: Required value/,
  },
  {
    name: 'a misspelled field',
    manifests: [...APP, engine().replace('engineState', 'engineStat')],
    message: /spec\.engineStat: unknown field; did you mean "engineState"\?/,
  },
  {
    name: 'an engine whose experiment does not exist',
    manifests: [...APP, engine({ experiments: [{ name: 'pod-delet' }] })],
    message: /ChaosEngine .*web-chaos: spec\.experiments\[0\]\.name: .*pod-delet/,
  },
  {
    name: 'a target selector that matches nothing',
    manifests: [...APP, engine({ label: 'app=nothing' })],
    message: /ChaosEngine .*web-chaos: spec\.appinfo.*app=nothing/,
  },
  {
    name: 'a service account that does not exist',
    manifests: [...APP, engine({ account: 'nobody' })],
    message: /spec\.chaosServiceAccount: .*nobody/,
  },
  {
    name: 'a service account without the needed permission',
    manifests: [
      webApp(),
      chaosAccount("  - { apiGroups: [''], resources: [pods], verbs: [get, list] }"),
      experiment('pod-delete'),
      engine(),
    ],
    message: /spec\.chaosServiceAccount: .*chaos-sa.*delete.*pods/,
  },
  {
    name: 'a probe with a wrong comparator',
    manifests: [
      ...APP,
      engine({ experiments: [{ name: 'pod-delete', probes: webProbe('SOT').replace("'=='", "'=~'") }] }),
    ],
    message: /probe\[0\].*criteria.*=~/,
  },
  {
    name: 'an env value that is no number',
    manifests: [...APP, engine({ experiments: [{ name: 'pod-delete', env: { CHAOS_INTERVAL: 'soon' } }] })],
    message: /CHAOS_INTERVAL.*soon.*(integer|number)/,
  },
  {
    name: 'a misspelled variable',
    manifests: [...APP, engine({ experiments: [{ name: 'pod-delete', env: { TOTAL_CHAOS_DURATON: '5' } }] })],
    message: /components\.env: TOTAL_CHAOS_DURATON is no setting .*did you mean TOTAL_CHAOS_DURATION\?/,
  },
  {
    name: 'a target that a variable names and nobody knows',
    manifests: [...APP, engine({ experiments: [{ name: 'pod-delete', env: { TARGET_PODS: 'nobody' } }] })],
    message: /components\.env: .*TARGET_PODS: nobody not found/,
  },
  {
    name: 'an engine that is to stop',
    manifests: [...APP, engine().replace('engineState: active', 'engineState: stop')],
    message: /chaos\.yaml:\d+: ChaosEngine web-chaos: spec\.engineState: found "stop".*"active"/,
  },
];

describe('turnsole run refuses bad input with exit code 2 and injects nothing', { concurrency: 2 }, () => {
  for (const { name, manifests, message } of BAD_INPUT) {
    it(name, async () => {
      const outcome = await runManifests(manifests);
      assert.equal(outcome.code, 2, outcome.stdout + outcome.stderr);
      assert.match(outcome.stderr, message);
      assert.equal(outcome.report, undefined);
    });
  }
});
