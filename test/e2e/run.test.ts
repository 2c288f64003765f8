import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { RunReport } from '../../src/services/report/model.ts';
import { chaosAccount, documents, engine, experiment, webApp, webProbe } from '../support/manifests.ts';
import { runManifests } from '../support/run-manifests.ts';
import { TurnsoleProcess, temporaryFolder } from '../support/turnsole.ts';

const APP = [webApp(), chaosAccount(), experiment('pod-delete'), experiment('container-kill')];

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
    const experiments = [{ name: 'pod-delete', env }];
    const engines = [engine({ experiments }), engine({ name: 'second', experiments })];
    await writeFile(file, documents(...APP, ...engines));
    await using command = new TurnsoleProcess(['run', file, '--json', json]);
    await command.line(/delet.*pod/i);
    const outcome = await command.stop('SIGINT');
    assert.equal(outcome.code, 130, outcome.stdout + outcome.stderr);
    const report = JSON.parse(await readFile(json, 'utf8')) as RunReport;
    assert.equal(report.engines[0]?.status, 'stopped');
    const [stopped] = report.engines[0]?.experiments ?? [];
    assert.deepEqual([stopped?.verdict, stopped?.reason], ['Stopped', 'stopped by SIGINT']);
    const { name, reason } = report.engines[1] ?? {};
    assert.deepEqual([name, reason], ['second', 'was not begun: stopped by SIGINT']);
    assert.equal(report.outcome?.exitCode, 130);
  });
});
