/** Schedules in `turnsole run` and `plan`. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { PlanDocument } from '../../src/services/plan/plan-document.ts';
import type { RunReport } from '../../src/services/report/model.ts';
import { chaosAccount, documents, experiment, webApp } from '../support/manifests.ts';
import { type CommandOutcome, temporaryFolder, turnsole } from '../support/turnsole.ts';

const schedule = (times: string): string => `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosSchedule
metadata: { name: nightly }
spec:
  schedule: ${times}
  engineTemplateSpec:
    chaosServiceAccount: chaos-sa
    appinfo: { appns: default, applabel: app=web, appkind: deployment }
    experiments: [{ name: pod-delete, spec: { components: { env: [{ name: TOTAL_CHAOS_DURATION, value: '1' }, { name: FORCE, value: 'true' }] } } }]
`;
/** An hour of the day that has not begun and does not begin soon: an hour that has begun would be due at once. */
const LATER = (new Date().getUTCHours() + 3) % 24;
const DAILY = `{ repeat: { properties: { minChaosInterval: { hour: { everyNthHour: 1 } } }, workHours: { includedHours: '${LATER}' } } }`;

async function withFile<T>(text: string, work: (file: string, folder: string) => Promise<T>): Promise<T> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'chaos.yaml');
  await writeFile(file, documents(webApp(1), chaosAccount(), experiment('pod-delete'), text));
  return await work(file, folder.path);
}

async function run(text: string, ...args: string[]): Promise<CommandOutcome & { report: RunReport }> {
  return withFile(text, async (file, folder) => {
    const json = join(folder, 'report.json');
    const outcome = await turnsole(['run', file, '--json', json, ...args]);
    return { ...outcome, report: JSON.parse(await readFile(json, 'utf8')) as RunReport };
  });
}

describe('turnsole run of a ChaosSchedule', { concurrency: 2 }, () => {
  test('runs its next occurrence at once', async () => {
    const { code, stdout, stderr, report } = await run(schedule(DAILY));
    assert.equal(code, 0, stdout + stderr);
    const hour = String(LATER).padStart(2, '0');
    assert.match(
      stdout,
      new RegExp(
        String.raw`ChaosSchedule nightly: its next occurrence \(\S+T${hour}:00:00Z\) is run now, as engine nightly-\d+`,
      ),
    );
    assert.match(report.engines[0]?.name ?? '', /^nightly-\d+$/);
    assert.deepEqual(
      report.engines[0]?.experiments.map(({ verdict }) => verdict),
      ['Pass'],
    );
  });

  test('or lets the operator decide the times, until the schedule is over', async () => {
    const { code, stdout, stderr, report } = await run(schedule('{ now: true }'), '--schedule', 'real');
    assert.equal(code, 0, stdout + stderr);
    assert.deepEqual(
      report.engines.map(({ name, experiments }) => [name, experiments[0]?.verdict]),
      [['nightly', 'Pass']],
    );
  });
});

test('turnsole plan says the next times of a schedule and what it would hit', async () => {
  const { code, stdout, stderr } = await withFile(schedule(DAILY), (file) =>
    turnsole(['plan', file, '-o', 'json']),
  );
  assert.equal(code, 0, stdout + stderr);
  const [planned] = (JSON.parse(stdout) as PlanDocument).engines;
  assert.equal(planned?.schedule?.name, 'nightly');
  assert.equal(planned.schedule.nextTimes.length, 3);
  assert.equal(planned.experiments[0]?.targets.length, 1);
});
