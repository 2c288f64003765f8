import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CronWorkflow, CronWorkflowSpec, CronWorkflowStatus } from '../kinds/cron-workflow.ts';
import { LABEL_INSTANCE_ID } from '../kinds/labels.ts';
import type { WorkflowPhase } from '../kinds/status.ts';
import type { Workflow } from '../kinds/workflow.ts';
import { NO_TEMPLATES } from '../validation/library.ts';
import { childWorkflow } from './child-workflow.ts';
import { lastRun, nextRun, parseCronSchedule } from './cron-schedule.ts';
import {
  ANNOTATION_LAST_SCHEDULE,
  type CronDecision,
  decideCron,
  withSubmissionError,
  withSubmitted,
} from './decide-cron.ts';
import { validateCronWorkflow } from './validate-cron.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;

function cronWorkflow(spec: Partial<CronWorkflowSpec>, status?: CronWorkflowStatus): CronWorkflow {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'CronWorkflow',
    metadata: {
      name: 'nightly',
      namespace: 'shop',
      uid: 'u-cron',
      labels: { [LABEL_INSTANCE_ID]: 'infra-1', team: 'a' },
    },
    spec: {
      schedules: ['* * * * *'],
      workflowSpec: { entrypoint: 'ok', templates: [{ name: 'ok', suspend: {} }] },
      ...spec,
    },
    status,
  };
}

/** A workflow that the CronWorkflow has made for a time. */
function child(cron: CronWorkflow, scheduledMs: number, phase: WorkflowPhase, finishedAt?: string): Workflow {
  const workflow = childWorkflow(cron, scheduledMs);
  return {
    ...workflow,
    metadata: { ...workflow.metadata, uid: `u-${scheduledMs}` },
    status: { phase, finishedAt },
  };
}

interface Given {
  readonly spec?: Partial<CronWorkflowSpec>;
  readonly status?: CronWorkflowStatus;
  readonly children?: readonly (readonly [scheduledMs: number, phase: WorkflowPhase, finishedAt?: string])[];
  /** Since when the controller has been watching; absent: it has just started. */
  readonly since?: number;
  readonly lastSchedule?: string;
  readonly now?: number;
}

function decide({ spec = {}, status, children = [], since, lastSchedule, now = NOON }: Given): CronDecision {
  const bare = cronWorkflow(spec, status);
  const annotations: Record<string, string> =
    lastSchedule === undefined ? {} : { [ANNOTATION_LAST_SCHEDULE]: lastSchedule };
  const cron = { ...bare, metadata: { ...bare.metadata, annotations } };
  const clock = since === undefined ? undefined : new Map(cron.spec.schedules.map((text) => [text, since]));
  const options = { now: () => now, random: () => 0.5 };
  return decideCron({ cron, children: children.map((entry) => child(cron, ...entry)), clock, options }, now);
}

/** Actions in a few words. */
function did({ actions }: CronDecision): string[] {
  return actions.map((action) =>
    action.kind === 'submit' ? `submit ${action.workflow.metadata.name}` : `${action.kind} ${action.name}`,
  );
}

const seconds = (timeMs: number) => timeMs / 1000;

test('what is new waits for its first time', () => {
  const decision = decide({});
  assert.deepEqual(did(decision), []);
  assert.deepEqual(decision.status, {});
  assert.equal(decision.wakeAt, NOON + MINUTE);
});

test('a time that is due makes a workflow, named by that time, not by the present', () => {
  const decision = decide({ since: NOON - MINUTE, now: NOON + 300 });
  assert.deepEqual(did(decision), [`submit nightly-${seconds(NOON)}`]);
  assert.deepEqual(decision.status, {
    active: [],
    succeeded: 0,
    failed: 0,
    phase: 'Active',
    lastScheduledTime: '2026-03-01T12:00:00Z',
    conditions: [],
  });
  assert.deepEqual(decision.annotations, { [ANNOTATION_LAST_SCHEDULE]: '* * * * *' });
  assert.equal(decision.wakeAt, NOON + MINUTE);
});

test('deciding again does not make it twice', () => {
  const first = decide({ since: NOON - MINUTE });
  const again = decideCron(
    {
      cron: cronWorkflow({}, first.status),
      children: [],
      clock: first.clock,
      options: { now: () => NOON, random: () => 0 },
    },
    NOON + 10,
  );
  assert.deepEqual(did(again), []);
});

test('the workflow has the labels, the owner and the time of its CronWorkflow', () => {
  const cron = cronWorkflow({ workflowMetadata: { labels: { a: 'b' }, annotations: { c: 'd' } } });
  assert.deepEqual(childWorkflow(cron, NOON).metadata, {
    name: `nightly-${seconds(NOON)}`,
    namespace: 'shop',
    labels: {
      a: 'b',
      'workflows.argoproj.io/controller-instanceid': 'infra-1',
      'workflows.argoproj.io/cron-workflow': 'nightly',
    },
    annotations: { c: 'd', 'workflows.argoproj.io/scheduled-time': '2026-03-01T12:00:00Z' },
    finalizers: undefined,
    ownerReferences: [
      {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'CronWorkflow',
        name: 'nightly',
        uid: 'u-cron',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  });
});

const RUNNING = [[NOON - MINUTE, 'Running']] as const;
const SUBMIT = `submit nightly-${seconds(NOON)}`;

const POLICIES: readonly (readonly [
  policy: CronWorkflowSpec['concurrencyPolicy'],
  did: readonly string[],
])[] = [
  [undefined, [SUBMIT]],
  ['', [SUBMIT]],
  ['Allow', [SUBMIT]],
  ['Forbid', []],
  ['Replace', [`terminate nightly-${seconds(NOON - MINUTE)}`, SUBMIT]],
];
for (const [concurrencyPolicy, expected] of POLICIES) {
  test(`a run is due while the one before goes on: ${concurrencyPolicy}`, () => {
    const decision = decide({ spec: { concurrencyPolicy }, children: RUNNING, since: NOON - MINUTE });
    assert.deepEqual(did(decision), expected);
  });
}

test('a time that Forbid left out is not made up for', () => {
  const decision = decide({ spec: { concurrencyPolicy: 'Forbid' }, children: RUNNING, since: NOON - MINUTE });
  assert.equal(decision.wakeAt, NOON + MINUTE);
  assert.equal(decision.status.lastScheduledTime, '2026-03-01T11:59:00Z');
});

test('suspended, nothing starts, and the end of what runs is still counted', () => {
  const status = { active: [{ uid: `u-${NOON - MINUTE}` }], lastScheduledTime: '2026-03-01T11:59:00Z' };
  const children = [[NOON - MINUTE, 'Failed']] as const;
  const decision = decide({ spec: { suspend: true }, status, children, since: NOON - MINUTE });
  assert.deepEqual(did(decision), []);
  assert.equal(decision.status.failed, 1);
  assert.equal(decision.wakeAt, undefined);
});

test('an end is counted once', () => {
  const status = { succeeded: 4, active: [], lastScheduledTime: '2026-03-01T11:59:00Z' };
  const children = [[NOON - MINUTE, 'Succeeded']] as const;
  assert.equal(decide({ status, children, since: NOON }).status.succeeded, 4);
});

test('one that was created and ended before the status could record it is counted', () => {
  const status = { succeeded: 4, lastScheduledTime: '2026-03-01T11:58:00Z' };
  const children = [[NOON - MINUTE, 'Succeeded']] as const;
  const decision = decide({ status, children, since: NOON });
  assert.equal(decision.status.succeeded, 5);
  assert.equal(decision.status.lastScheduledTime, '2026-03-01T11:59:00Z');
});

test('a status that a client erased is made anew from the workflows that there are', () => {
  const { status } = decide({ children: RUNNING, since: NOON });
  assert.deepEqual(
    status.active?.map(({ uid }) => uid),
    [`u-${NOON - MINUTE}`],
  );
  assert.equal(status.lastScheduledTime, '2026-03-01T11:59:00Z');
  assert.equal(status.phase, 'Active');
});

const AWAY = { lastScheduledTime: '2026-03-01T11:50:00Z' };
const MISSED: readonly (readonly [name: string, given: Given, did: readonly string[]])[] = [
  ['no deadline', {}, []],
  ['within the deadline', { spec: { startingDeadlineSeconds: 30 } }, [SUBMIT]],
  ['beyond the deadline', { spec: { startingDeadlineSeconds: 30 }, now: NOON + 40_000 }, []],
  [
    'the schedule has changed meanwhile',
    { spec: { startingDeadlineSeconds: 30 }, lastSchedule: '0 * * * *' },
    [],
  ],
  ['it never ran before', { spec: { startingDeadlineSeconds: 30 }, status: {} }, []],
];
for (const [name, given, expected] of MISSED) {
  test(`after a start of the controller: ${name}`, () => {
    const decision = decide({ status: AWAY, lastSchedule: '* * * * *', now: NOON + 10_000, ...given });
    assert.deepEqual(did(decision), expected);
  });
}

const TWICE: readonly (readonly [name: string, given: Given, did: readonly string[]])[] = [
  ['its workflow is there', { children: [[NOON, 'Running']] }, []],
  [
    'its workflow is there, and Replace ends it not',
    { spec: { concurrencyPolicy: 'Replace' }, children: [[NOON, 'Running']] },
    [],
  ],
  ['its workflow has ended', { children: [[NOON, 'Succeeded']] }, []],
  ['the status records it', { status: { lastScheduledTime: '2026-03-01T12:00:00Z' } }, []],
  [
    'the status records a time to come, which is not believed',
    { status: { lastScheduledTime: '2999-01-01T00:00:00Z' } },
    [SUBMIT],
  ],
];
for (const [name, given, expected] of TWICE) {
  test(`a time that another process has seen to: ${name}`, () => {
    assert.deepEqual(did(decide({ since: NOON - MINUTE, now: NOON + 10, ...given })), expected);
  });
}

test('what passed while it was suspended counts as missed', () => {
  assert.equal(decide({ spec: { suspend: true }, since: NOON - 5 * MINUTE }).clock, undefined);
  assert.deepEqual(did(decide({ status: AWAY, lastSchedule: '* * * * *', now: NOON + 10_000 })), []);
});

test('schedules are noted with their time zone, as Argo notes them', () => {
  const spec = { schedules: ['0 12 * * *', '* * * * *'], timezone: 'Europe/Berlin' };
  assert.deepEqual(decide({ spec, since: NOON - MINUTE }).annotations, {
    [ANNOTATION_LAST_SCHEDULE]: 'CRON_TZ=Europe/Berlin 0 12 * * *,CRON_TZ=Europe/Berlin * * * * *',
  });
});

test('a spec that has become wrong starts nothing, and says so when a time is due', () => {
  const cron = cronWorkflow({}, { phase: 'Active' });
  const facts = { cron, children: [], specProblem: 'no', options: { now: () => NOON, random: () => 0 } };
  const early = decideCron({ ...facts, clock: new Map([['* * * * *', NOON]]) }, NOON);
  assert.deepEqual([early.actions, early.status.conditions], [[], undefined]);
  const { actions, status } = decideCron({ ...facts, clock: new Map([['* * * * *', NOON - MINUTE]]) }, NOON);
  assert.deepEqual(actions, []);
  assert.deepEqual(status.conditions, [{ type: 'SpecError', status: 'True', message: 'no' }]);
});

test('a spec that has never been right gets no status, and is looked at again when the next time is due', () => {
  const facts = {
    cron: cronWorkflow({}),
    children: [],
    clock: new Map([['* * * * *', NOON - MINUTE]]),
    specProblem: 'no',
    options: { now: () => NOON, random: () => 0 },
  };
  const { actions, status, wakeAt, problem } = decideCron(facts, NOON);
  assert.deepEqual([actions, status, wakeAt, problem], [[], {}, NOON + MINUTE, 'no']);
});

test('what repeats every so often goes on from its last time after a start', () => {
  const spec = { schedules: ['@every 1h'] };
  assert.equal(decide({ spec, status: AWAY }).wakeAt, Date.parse('2026-03-01T12:50:00Z'));
  assert.equal(decide({ spec }).wakeAt, NOON + 60 * MINUTE);
});

test('a workflow that changes while it runs changes nothing in the status', () => {
  const active = [{ uid: `u-${NOON - MINUTE}`, name: 'as it was', resourceVersion: '7' }];
  assert.deepEqual(decide({ status: { active }, children: RUNNING, since: NOON }).status.active, active);
});

test('the applied policy is reported', () => {
  const policyOf = (concurrencyPolicy: 'Allow' | 'Forbid' | 'Replace') =>
    decide({ spec: { concurrencyPolicy }, children: RUNNING, since: NOON - MINUTE }).policy;
  assert.deepEqual(
    [policyOf('Allow'), policyOf('Forbid'), policyOf('Replace')],
    [undefined, 'Forbid', 'Replace'],
  );
});

test('when: tags, then a condition without bare words', () => {
  const given = (when: string) => did(decide({ spec: { when }, since: NOON - MINUTE }));
  assert.deepEqual(given('1 == 2'), []);
  assert.deepEqual(given("'{{cronworkflow.name}}' == 'nightly'"), [SUBMIT]);
  assert.deepEqual(given('{{=cronworkflow.failed < 3}}'), [SUBMIT]);
  assert.deepEqual(given("'{{cronworkflow.labels.team}}' == 'b'"), []);
});

test('a condition that cannot be evaluated is reported in the status, and no workflow starts', () => {
  const { status, actions } = decide({ spec: { when: 'nightly == 1' }, since: NOON - MINUTE });
  assert.deepEqual(actions, []);
  assert.match(
    status.conditions?.[0]?.message ?? '',
    /^run policy error: cannot evaluate spec.when "nightly == 1": /,
  );
});

test('when: the last time is a time, and nil before the first one', () => {
  const given = (when: string, lastScheduledTime?: string) =>
    decide({
      spec: { when },
      since: NOON - MINUTE,
      ...(lastScheduledTime && { status: { lastScheduledTime } }),
    });
  const pause =
    '{{= cronworkflow.lastScheduledTime == nil || (now() - cronworkflow.lastScheduledTime).Seconds() > 3600 }}';
  assert.deepEqual(did(given(pause)), [SUBMIT]);
  assert.deepEqual(did(given(pause, '2026-03-01T11:59:00Z')), []);
  assert.deepEqual(given(pause, '2026-03-01T11:59:00Z').status.conditions ?? [], []);
  assert.deepEqual(did(given(pause, '2026-03-01T10:59:00Z')), [SUBMIT]);
  const year = '{{= cronworkflow.lastScheduledTime?.Year() == 2026 }}';
  assert.deepEqual(did(given(year, '2026-03-01T11:59:00Z')), [SUBMIT]);
  const text = '"{{cronworkflow.lastScheduledTime}}" == "2026-03-01T11:59:00Z"';
  assert.deepEqual(did(given(text, '2026-03-01T11:59:00Z')), [SUBMIT]);
});

test('when the stop condition holds, it is over', () => {
  const status = { succeeded: 1, failed: 0, phase: 'Active' as const };
  const decision = decide({
    spec: { stopStrategy: { expression: 'cronworkflow.succeeded >= 1' } },
    status,
    since: NOON - MINUTE,
  });
  assert.deepEqual(did(decision), []);
  assert.equal(decision.status.phase, 'Stopped');
  assert.deepEqual(decision.labels, { 'cronworkflows.argoproj.io/completed': 'true' });
  assert.equal(decision.wakeAt, undefined);
});

test('of those that ended, three and one are kept, the youngest', () => {
  const at = (minute: number) => `2026-03-01T11:0${minute}:00Z`;
  const children = [1, 2, 3, 4, 5].map(
    (minute) => [NOON - minute * MINUTE, 'Succeeded', at(9 - minute)] as const,
  );
  const failed = [6, 7].map((minute) => [NOON - minute * MINUTE, 'Error', at(9 - minute)] as const);
  assert.deepEqual(did(decide({ children: [...children, ...failed], since: NOON })), [
    `delete nightly-${seconds(NOON - 5 * MINUTE)}`,
    `delete nightly-${seconds(NOON - 4 * MINUTE)}`,
    `delete nightly-${seconds(NOON - 7 * MINUTE)}`,
  ]);
  const limits = { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 9 };
  assert.equal(did(decide({ spec: limits, children: [...children, ...failed], since: NOON })).length, 5);
});

test('several schedules, each by itself; the latest that is due names the workflow', () => {
  const spec = { schedules: ['*/2 * * * *', '*/3 * * * *'] };
  assert.deepEqual(did(decide({ spec, since: NOON - 5 * MINUTE })), [SUBMIT]);
  assert.equal(decide({ spec, since: NOON }).wakeAt, NOON + 2 * MINUTE);
});

test('a schedule that cannot be read leaves everything as it is', () => {
  const decision = decide({ spec: { schedules: ['61 * * * *'] }, since: NOON - MINUTE });
  assert.equal(
    decision.problem,
    'cron schedule 61 * * * * is malformed: "61" in "61" is not between 0 and 59',
  );
  assert.deepEqual(decision.status, {});
});

test('what became of a submission stands in the status', () => {
  const created = child(cronWorkflow({}), NOON, 'Running');
  assert.deepEqual(
    withSubmitted({ active: [] }, created).active?.map(({ name }) => name),
    [`nightly-${seconds(NOON)}`],
  );
  assert.deepEqual(withSubmissionError({ failed: 2 }, 'no'), {
    failed: 3,
    conditions: [{ type: 'SubmissionError', status: 'True', message: 'Failed to submit Workflow: no' }],
  });
});

test('zones: of the entry, else of the CronWorkflow, else UTC', () => {
  const at = (text: string, zone?: string) =>
    new Date(nextRun(parseCronSchedule(text, zone), NOON) ?? 0).toISOString();
  assert.equal(at('0 13 * * *'), '2026-03-01T13:00:00.000Z');
  assert.equal(at('0 18 * * *', 'Asia/Calcutta'), '2026-03-01T12:30:00.000Z');
  assert.equal(at('CRON_TZ=America/Los_Angeles 0 5 * * *', 'Asia/Calcutta'), '2026-03-01T13:00:00.000Z');
  assert.throws(() => parseCronSchedule('* * * * *', 'Mars/Base'), /unknown time zone "Mars\/Base"/);
});

test('every so often, counted from the last time', () => {
  const every = parseCronSchedule('@every 1m30s', undefined);
  assert.equal(nextRun(every, NOON + 400), NOON + 90_000);
  assert.equal(lastRun(every, NOON, NOON + 89_999), undefined);
  assert.equal(lastRun(every, NOON, NOON + 200_000), NOON + 180_000);
  assert.throws(() => parseCronSchedule('@every soon', undefined), { name: 'ScheduleError' });
});

test('validation says everything', () => {
  const cron = cronWorkflow({
    schedules: ['61 * * * *'],
    startingDeadlineSeconds: -1,
    workflowSpec: { entrypoint: 'zz', templates: [{ name: 'ok', suspend: {} }] },
  });
  const named = { ...cron, metadata: { ...cron.metadata, name: 'n'.repeat(53) } };
  assert.deepEqual(
    validateCronWorkflow(named, NO_TEMPLATES).map(({ path, text }) => `${path}: ${text}`),
    [
      `metadata.name: cron workflow name "${'n'.repeat(53)}" must not be more than 52 characters long (currently 53)`,
      'spec.schedules[0]: cron schedule 61 * * * * is malformed: "61" in "61" is not between 0 and 59',
      'spec.startingDeadlineSeconds: startingDeadlineSeconds must be positive',
      "spec.workflowSpec.entrypoint: cannot validate Workflow: template name 'zz' undefined",
    ],
  );
});
