import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { engine } from '../../../test/support/manifests.ts';
import { temporaryFolder } from '../../../test/support/turnsole.ts';
import { BadInputError } from '../errors.ts';
import { type ReadManifests, readManifests, type ScheduleMode } from './read.ts';

/** A Wednesday. */
const NOW = Date.parse('2026-01-07T10:20:30Z');

const TEMPLATE =
  '  engineTemplateSpec: { chaosServiceAccount: sa, appinfo: { appns: shop, applabel: a=b, appkind: deployment }, experiments: [{ name: pod-delete }] }';
const schedule = (times: string, rest = ''): string => `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosSchedule
metadata: { name: nightly, namespace: shop, labels: { team: a } }
spec:
  schedule: ${times}
${rest}${TEMPLATE}
`;
const HOURLY =
  '{ repeat: { properties: { minChaosInterval: { hour: { everyNthHour: 1 } } }, workHours: { includedHours: 12-14 } } }';

async function read(
  text: string,
  mode: ScheduleMode = 'next',
): Promise<{ steps: string[]; problems: string[] } & Partial<ReadManifests>> {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'x.yaml'), text);
  const steps: string[] = [];
  const progress = { step: (message: string) => steps.push(message) };
  try {
    return { ...(await readManifests([folder.path], progress, { mode, nowMs: NOW })), steps, problems: [] };
  } catch (error) {
    if (!(error instanceof BadInputError)) throw error;
    return { steps, problems: error.problems.map(({ field = '', message }) => `${field}: ${message}`) };
  }
}

const document = (kind: string, apiVersion = 'litmuschaos.io/v1alpha1'): string =>
  `---\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: ${kind.toLowerCase()} }\n`;

describe('what is run, and what is not', () => {
  const TABLE: readonly [string, string, string[]][] = [
    [
      'a misspelled kind',
      document('ChaosMotor'),
      ['kind: there is no kind ChaosMotor in litmuschaos.io/v1alpha1; did you mean ChaosEngine?'],
    ],
    [
      'a misspelled kind beside an engine',
      `${engine()}${document('ChaosSchedul')}`,
      ['kind: there is no kind ChaosSchedul in litmuschaos.io/v1alpha1; did you mean ChaosSchedule?'],
    ],
    [
      'a version that is not served, beside an engine',
      `${engine()}${document('ChaosEngine', 'litmuschaos.io/v1beta1')}`,
      [
        'apiVersion: there is no version litmuschaos.io/v1beta1 of ChaosEngine; write litmuschaos.io/v1alpha1',
      ],
    ],
    [
      'a version that is not served, of a kind that is only applied',
      `${engine()}${document('ChaosExperiment', 'litmuschaos.io/v1')}`,
      ['apiVersion: there is no version litmuschaos.io/v1 of ChaosExperiment; write litmuschaos.io/v1alpha1'],
    ],
    [
      'nothing that is run',
      `${document('ConfigMap', 'v1')}${document('WorkflowTemplate', 'argoproj.io/v1alpha1')}`,
      [
        ': no ChaosEngine, ChaosSchedule, Workflow or CronWorkflow found, so there is nothing to run; found ConfigMap configmap, WorkflowTemplate workflowtemplate',
      ],
    ],
    [
      'an application alone',
      document('Deployment', 'apps/v1'),
      [
        ': no ChaosEngine, ChaosSchedule, Workflow or CronWorkflow found, so there is nothing to run; found Deployment deployment; ' +
          '"--fault pod-delete --target deployment/deployment" is an experiment on it, and "turnsole init" writes some',
      ],
    ],
    [
      'a schedule that is halted',
      schedule('{ now: true }', '  scheduleState: halt\n'),
      ['spec.scheduleState: found "halt", with which nothing is run; set it to "active"'],
    ],
    [
      'a schedule that is over',
      schedule(
        "{ repeat: { timeRange: { endTime: '2025-01-01T00:00:00Z' }, properties: { minChaosInterval: { hour: { everyNthHour: 1 } } } } }",
      ),
      ['spec.schedule: no time is left in which it would run; correct its time range, days or hours'],
    ],
    [
      'a schedule without times',
      schedule('{}'),
      ['spec.schedule: Required value: give now: true, once or repeat'],
    ],
  ];
  for (const [name, text, problems] of TABLE) {
    test(`refuses ${name}`, async () => assert.deepEqual((await read(text)).problems, problems));
  }
});

describe('workflows', () => {
  const cron = (spec: string): string => `
apiVersion: argoproj.io/v1alpha1
kind: CronWorkflow
metadata: { name: nightly, namespace: shop }
spec:
${spec}  schedule: '0 2 * * *'
  workflowMetadata: { labels: { team: a } }
  workflowSpec:
    entrypoint: main
`;

  test('are run and not applied besides; one that the cluster would name has a name', async () => {
    const generated =
      '---\napiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: { generateName: hello- }\nspec: {}\n';
    const { workflows = [], others } = await read(
      `${document('Workflow', 'argoproj.io/v1alpha1')}${generated}`,
    );
    const [named, drawn] = workflows.map(({ object }) => object.metadata);
    assert.deepEqual(named, { name: 'workflow' });
    assert.match(drawn?.name ?? '', /^hello-[a-z0-9]{5}$/);
    assert.deepEqual(others, []);
  });

  test('a CronWorkflow is the workflow that it would start now, without owner', async () => {
    const { workflows = [], others } = await read(cron(''));
    const [only] = workflows;
    assert.deepEqual(only?.object, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Workflow',
      metadata: {
        name: `nightly-${Math.floor(NOW / 1000)}`,
        namespace: 'shop',
        labels: { team: 'a', 'workflows.argoproj.io/cron-workflow': 'nightly' },
        annotations: { 'workflows.argoproj.io/scheduled-time': '2026-01-07T10:20:30Z' },
      },
      spec: { entrypoint: 'main' },
    });
    assert.equal(only.lineOf(['spec', 'entrypoint']), 9);
    assert.deepEqual([only.cron, others], [{ name: 'nightly' }, []]);
  });

  const REFUSED: readonly [name: string, text: string, mode: ScheduleMode, problems: string[]][] = [
    [
      'a CronWorkflow at its real times',
      cron(''),
      'real',
      [
        'spec.schedules: a CronWorkflow goes on for ever, so a run cannot follow its times; take --schedule next, or apply it to a cluster that stays',
      ],
    ],
    [
      'a CronWorkflow that is suspended',
      cron('  suspend: true\n'),
      'next',
      ['spec.suspend: found true, with which nothing is run; set it to false'],
    ],
    [
      'two workflows of one name',
      document('Workflow', 'argoproj.io/v1alpha1').repeat(2),
      'next',
      ['metadata.name: this workflow stands in'],
    ],
  ];
  for (const [name, text, mode, problems] of REFUSED) {
    test(`refuses ${name}`, async () => {
      const found = (await read(text, mode)).problems;
      assert.deepEqual(
        found.map((problem, index) => problem.slice(0, problems[index]?.length)),
        problems,
      );
    });
  }
});

describe('schedules', () => {
  test('the next occurrence is the engine that the operator would make, under its name', async () => {
    const { engines = [], others } = await read(schedule(HOURLY));
    const [only] = engines;
    const noon = Date.parse('2026-01-07T12:00:00Z');
    assert.deepEqual(only?.schedule, {
      name: 'nightly',
      nextTimes: ['2026-01-07T12:00:00Z', '2026-01-07T13:00:00Z', '2026-01-07T14:00:00Z'],
    });
    assert.deepEqual(only.object.metadata, {
      name: `nightly-${noon / 1000}`,
      namespace: 'shop',
      labels: { app: 'chaos-engine', team: 'a' },
    });
    assert.equal(only.object.kind, 'ChaosEngine');
    assert.equal(only.lineOf(['spec', 'experiments', 0, 'name']), 7);
    assert.deepEqual(others, [], 'the schedule is not applied as well');
  });

  for (const [times, at] of [
    ['{ now: true }', '2026-01-07T10:20:30Z'],
    ["{ once: { executionTime: '2026-02-01T00:00:00Z' } }", '2026-02-01T00:00:00Z'],
    ["{ once: { executionTime: '2025-02-01T00:00:00Z' } }", '2026-01-07T10:20:30Z'],
  ] as const) {
    test(`${times} makes an engine of the schedule's own name`, async () => {
      const [only] = (await read(schedule(times))).engines ?? [];
      assert.equal(only?.object.metadata.name, 'nightly');
      assert.deepEqual(only.schedule?.nextTimes, [at]);
      const missed = times.includes('2025-') ? '2025-02-01T00:00:00Z' : undefined;
      assert.equal(only.schedule?.missedTime, missed);
    });
  }

  test('with their real times they are kept as schedules', async () => {
    const { engines, schedules = [] } = await read(schedule(HOURLY), 'real');
    assert.deepEqual(engines, []);
    assert.deepEqual(
      schedules.map(({ object }) => object.kind),
      ['ChaosSchedule'],
    );
  });
});
