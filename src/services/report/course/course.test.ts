import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChaosEngine, ChaosResult, TimelineEntry } from '../../../api/index.ts';
import { courseOf } from './course.ts';
import type { ExperimentCourse, HitGroup, ProbeCourse, RunCourse } from './model.ts';
import { recoveriesOf } from './recoveries.ts';
import { stateNow, stateWordsNow } from './run-state.ts';
import { questionOf, survivalOf } from './sentences.ts';
import { stripOf } from './strip.ts';

const s = (seconds: number): number => seconds * 1000;
const hits = (changes: Partial<HitGroup> = {}): HitGroup => ({
  ...{ kind: 'pod', of: 'web', objects: 2, times: 2, open: 0, firstMs: s(5), lastMs: s(10) },
  ...changes,
});
const probe = (changes: Partial<ProbeCourse> = {}): ProbeCourse => ({
  ...{ name: 'web-answers', type: 'httpProbe', mode: 'Continuous', verdict: 'Awaited' },
  ...changes,
});
const ready = (...pairs: readonly (readonly [seconds: number, pods: number])[]) => ({
  ...{ kind: 'deployment', namespace: 'shop', name: 'web', before: 3 },
  ready: pairs.map(([at, pods]) => ({ atMs: s(at), pods })),
});
const experiment = (changes: Partial<ExperimentCourse> = {}): ExperimentCourse => ({
  ...{ fault: 'pod-delete', startMs: s(2), chaosSeconds: 15, intervalSeconds: 5, healthSeconds: 180 },
  ...{ hits: [], workloads: [], probes: [] },
  ...changes,
});
const course = (one?: Partial<ExperimentCourse>, changes: Partial<RunCourse> = {}): RunCourse => ({
  ...{ aim: 'web', isStopping: false, experiments: one === undefined ? [] : [experiment(one)] },
  ...changes,
});
const several = (...courses: readonly RunCourse[]): RunCourse => ({
  ...course(),
  experiments: courses.flatMap(({ experiments }) => experiments),
});
const PROBLEM = {
  reason: 'Forbidden',
  message: 'the account may not create pods',
  todo: 'give it the permission',
};
const CHAOS = { healthyMs: s(3), chaosMs: s(4) };

const STATES: readonly (readonly [what: string, course: RunCourse, atSeconds: number, words: string])[] = [
  ['nothing has begun', course(), 1, 'Starting'],
  ['the operator has found a problem', course(undefined, { problem: PROBLEM }), 1, 'Cannot start'],
  ['its runner fails after it began', course({}, { problem: PROBLEM }), 3, 'Cannot start'],
  ['the application is not healthy yet', course({}), 14, 'Waiting for the application, 12 of at most 180 s'],
  [
    'health is not checked',
    { ...course(), experiments: [{ ...experiment(), healthSeconds: undefined } as never] },
    3,
    'Checking',
  ],
  ['the application is healthy', course({ healthyMs: s(3) }), 3, 'Checking'],
  ['chaos has begun', course(CHAOS), 4, 'Chaos in force, 0 of 15 s'],
  ['chaos goes on', course(CHAOS), 11.9, 'Chaos in force, 7 of 15 s'],
  [
    'chaos goes on although the runner fails',
    course(CHAOS, { problem: PROBLEM }),
    11,
    'Chaos in force, 7 of 15 s',
  ],
  [
    'an older experiment tells no length',
    { ...course(), experiments: [{ ...experiment(CHAOS), chaosSeconds: undefined } as never] },
    9,
    'Chaos in force, 5 s',
  ],
  [
    'its time is over and it is still in force',
    course({ ...CHAOS, hits: [hits({ open: 1 })] }),
    20,
    'Reverting, 1 s',
  ],
  [
    'its time is over and pods are missing',
    course({ ...CHAOS, hits: [hits()] }),
    24,
    'Waiting for the application, 5 of at most 180 s',
  ],
  ['chaos has ended', course({ ...CHAOS, chaosEndMs: s(19) }), 20, 'Checking'],
  [
    'it was told to stop with something in force',
    course({ ...CHAOS, hits: [hits({ open: 1 })] }, { isStopping: true }),
    8,
    'Reverting',
  ],
  ['it was told to stop', course(CHAOS, { isStopping: true }), 8, 'Stopping'],
  ['the experiment is aborted', course({ ...CHAOS, abortedMs: s(8) }), 8, 'Stopping'],
  ['one experiment has ended', course({ ...CHAOS, chaosEndMs: s(19), endMs: s(20) }), 21, 'Running'],
  [
    'two experiments are side by side',
    { ...course(), experiments: [experiment(), experiment(CHAOS)] },
    11,
    'Chaos in force, 7 of 15 s',
  ],
];
for (const [what, of, at, words] of STATES) {
  test(`the state of a run of which ${what}: ${words}`, () =>
    assert.equal(stateWordsNow(stateNow(of, s(at)), s(at)), words));
}

const QUESTIONS: readonly (readonly [what: string, course: RunCourse, question: string | undefined])[] = [
  ['nothing has begun', course(), undefined],
  [
    'one http probe',
    course({ probes: [probe({ subject: 'GET http://web:8080/' })], workloads: [ready([0, 3])] }),
    'Pods of web are deleted every 5 s, for 15 s: does http://web:8080/ keep answering?',
  ],
  [
    'two probes, nothing hit yet',
    course({ probes: [probe({ subject: 'GET http://web:8080/' }), probe({ mode: 'EOT' })] }),
    'Targets of web are deleted every 5 s, for 15 s: does http://web:8080/ keep answering, and does one more check hold?',
  ],
  [
    'a check at the end only',
    course({ probes: [probe({ name: 'orders', mode: 'EOT' })], hits: [hits()] }),
    'Pods of web are deleted every 5 s, for 15 s: does orders pass?',
  ],
  [
    'an experiment after the one in chaos that never came to it',
    several(
      course({
        ...CHAOS,
        chaosEndMs: s(19.5),
        endMs: s(20),
        hits: [hits()],
        probes: [probe({ subject: 'GET http://web:8080/', mode: 'EOT' })],
      }),
      course({ startMs: s(21), endMs: s(22) }),
    ),
    'Pods of web are deleted every 5 s, for 15 s: does http://web:8080/ answer?',
  ],
  [
    'no probe',
    course(
      { fault: 'node-drain', hits: [{ ...hits({ kind: 'node' }), of: undefined } as never] },
      { aim: '' },
    ),
    'Nodes are drained every 5 s, for 15 s: nothing is checked, so only an error can fail it.',
  ],
];
for (const [what, of, question] of QUESTIONS)
  test(`the question of a run with ${what}`, () => assert.equal(questionOf(of), question));

const SERIES = probe({ verdict: 'Passed', measurements: 28, failed: 0, slowestMs: 311, lastMs: 4 });
const THREE = ready([0, 3], [5, 2], [6.4, 3], [10, 2], [14.2, 3], [15, 2], [17, 3]);
const SURVIVALS: readonly (readonly [
  what: string,
  one: Partial<ExperimentCourse>,
  sentence: string | undefined,
])[] = [
  ['nothing was hit', { probes: [SERIES] }, undefined],
  [
    'three pods came back',
    { hits: [hits({ objects: 3, times: 3 })], workloads: [THREE], probes: [SERIES] },
    'web survived: three pods were deleted, each replaced in 1.4 to 4.2 s, no request failed, slowest 311 ms',
  ],
  [
    'one pod came back',
    {
      hits: [hits({ objects: 1, times: 1 })],
      workloads: [ready([0, 3], [5, 2], [6.4, 3])],
      probes: [SERIES],
    },
    'web survived: one pod was deleted, replaced in 1.4 s, no request failed, slowest 311 ms',
  ],
  [
    'pods were slowed down and stayed ready, some requests failed within the tolerance',
    {
      ...{ fault: 'pod-network-latency', hits: [hits()], workloads: [ready([0, 3])] },
      probes: [probe({ verdict: 'Passed', measurements: 300, failed: 2, slowestMs: 2100 })],
    },
    'web survived: two pods were slowed down on the network, 2 of 300 requests failed, slowest 2.1 s',
  ],
  [
    'only a check at the end',
    { hits: [hits({ objects: 31, times: 31 })], probes: [probe({ mode: 'EOT', verdict: 'Passed' })] },
    'web survived: 31 pods were deleted, one check of 1 held, none of them while the fault was in force',
  ],
  [
    'nothing was checked',
    { hits: [hits({ objects: 1, times: 1 })], workloads: [ready([0, 3], [5, 2], [6, 3])] },
    'one pod was deleted, replaced in 1 s',
  ],
  [
    'a pod that did not come back',
    { hits: [hits()], workloads: [ready([0, 3], [5, 2], [6, 3], [10, 2])], probes: [SERIES] },
    'web survived: two pods were deleted, replaced in 1 s, 1 not replaced yet, no request failed, slowest 311 ms',
  ],
];
for (const [what, one, sentence] of SURVIVALS)
  test(`what a pass has shown when ${what}`, () => assert.equal(survivalOf([experiment(one)]), sentence));

const STRIPS: readonly (readonly [
  what: string,
  course: RunCourse,
  isRunning: boolean,
  atSeconds: number,
  cells: readonly [chaos: string, hit: string, application: string],
])[] = [
  ['nothing has begun', course(), true, 1, ['not in force yet', 'nothing yet', 'not asked yet']],
  [
    'nothing is checked',
    course({}),
    true,
    3,
    ['not in force yet', 'nothing yet', 'nothing is checked, no probe asks it'],
  ],
  [
    'chaos is in force and a pod is missing',
    course({
      ...CHAOS,
      hits: [hits()],
      workloads: [ready([0, 3], [5, 2], [6, 3], [8.9, 2])],
      probes: [{ ...SERIES, verdict: 'Awaited' }],
    }),
    true,
    12,
    ['in force, 8 of 15 s', '2 of 3 pods of web, 1 coming back, 3.1 s', 'answers, 4 ms, 28 of 28'],
  ],
  [
    'the application fails',
    course({
      ...CHAOS,
      hits: [hits({ objects: 9 })],
      probes: [probe({ measurements: 20, failed: 5, failingMs: s(9) })],
    }),
    true,
    12,
    ['in force, 8 of 15 s', '9 pods of web', 'fails for 3 s, 15 of 20'],
  ],
  [
    'it is being reverted',
    course({ ...CHAOS, hits: [hits({ open: 2 })], probes: [probe()] }),
    true,
    20,
    ['being reverted, on 2 targets', '2 pods of web', 'not asked yet'],
  ],
  [
    'it has passed',
    course({
      ...CHAOS,
      chaosEndMs: s(19.5),
      endMs: s(20),
      hits: [hits()],
      workloads: [THREE],
      probes: [SERIES],
    }),
    false,
    20,
    ['over, after 15.5 s', '2 of 3 pods of web, all back, slowest in 4.2 s', 'held, 28 of 28'],
  ],
  [
    'something was left in force',
    course({ ...CHAOS, endMs: s(20), hits: [hits({ open: 1 })], probes: [probe({ verdict: 'Failed' })] }),
    false,
    20,
    ['not reverted, on 1 target', '2 pods of web', 'failed, web-answers'],
  ],
  [
    'several experiments have hit the same pods',
    several(
      course({ ...CHAOS, chaosEndMs: s(19.5), endMs: s(20), hits: [hits()], workloads: [THREE] }),
      course({ hits: [hits({ times: 3 }), hits({ of: 'db', objects: 1 })] }),
    ),
    false,
    20,
    [
      'over, after 15.5 s',
      'pods of web, 5 times, 1 pod of db, all back, slowest in 4.2 s',
      'nothing is checked, no probe asks it',
    ],
  ],
  ['it never began', course(), false, 20, ['was never in force', 'nothing was hit', 'was not asked']],
];
for (const [what, of, isRunning, at, cells] of STRIPS) {
  test(`the strip of a run of which ${what}`, () =>
    assert.deepEqual(
      stripOf(of, isRunning, s(at)).map(({ answer, more }) =>
        [answer, more].filter((text) => text !== '').join(', '),
      ),
      cells,
    ));
}

test('two pods that go at once come back one after another, and pods beyond those before make up for nothing', () => {
  assert.deepEqual(recoveriesOf(ready([0, 1], [0.1, 3], [5, 1], [6, 2], [8, 3], [9, 4], [10, 3])), [
    { fromMs: s(5), toMs: s(6) },
    { fromMs: s(5), toMs: s(8) },
  ]);
});

const at = (seconds: number): string => new Date(s(seconds)).toISOString();
const step = (seconds: number, name: string, runId: string): TimelineEntry => ({
  ...{ time: at(seconds), actor: 'experiment/pod-delete', step: name, message: name, runId },
});

test('the course of an engine is read from its objects, and nothing of an earlier run', () => {
  const engine = {
    metadata: { name: 'e', namespace: 'shop' },
    spec: {
      engineState: 'active',
      appinfo: { appns: 'shop', applabel: 'app=web', appkind: 'deployment' },
      experiments: [],
    },
    status: {
      runId: 'r2',
      conditions: [
        { type: 'Runnable', status: 'False', reason: 'RunnerFailing', message: 'the runner failed' },
      ],
    },
  } as unknown as ChaosEngine;
  const result = {
    metadata: { name: 'e-pod-delete', namespace: 'shop' },
    spec: { engine: 'e', experiment: 'pod-delete' },
    status: {
      timing: { chaosSeconds: 15, intervalSeconds: 5, healthSeconds: null },
      timeline: [
        step(1, 'ExperimentStarted', 'r1'),
        step(2, 'ChaosStarted', 'r1'),
        step(11, 'ExperimentStarted', 'r2'),
        step(12, 'ChaosStarted', 'r2'),
      ],
      ledger: {
        'r2.r0.a': {
          ...{
            id: 'r2.r0.a',
            fault: 'pod-delete',
            state: 'done',
            instant: true,
            injectedAt: at(13),
            parameters: {},
          },
          target: {
            kind: 'pod',
            namespace: 'shop',
            name: 'web-1',
            owner: { kind: 'deployment', name: 'web' },
          },
        },
      },
      workloads: [
        {
          kind: 'deployment',
          namespace: 'shop',
          name: 'web',
          readyBefore: 3,
          lowestReady: 2,
          noneReadySeconds: 0,
          ready: [{ time: at(11), pods: 3 }],
        },
      ],
      probeStatuses: [
        {
          name: 'p',
          type: 'httpProbe',
          mode: 'Continuous',
          status: { verdict: 'Awaited' },
          subject: 'GET http://web',
        },
      ],
    },
  } as unknown as ChaosResult;
  const of = (runId: string): RunCourse =>
    courseOf({ name: 'e', namespace: 'shop', engine, results: [result], runId });
  const found = of('r2');
  assert.deepEqual([found.aim, found.problem?.reason, found.isStopping], ['web', 'RunnerFailing', false]);
  assert.match(found.problem?.todo ?? '', /log/);
  const [one] = found.experiments;
  assert.deepEqual(
    [one?.startMs, one?.chaosMs, one?.chaosSeconds, one?.healthSeconds],
    [s(11), s(12), 15, undefined],
  );
  assert.deepEqual(one?.hits, [{ ...hits({ objects: 1, times: 1, firstMs: s(13), lastMs: s(13) }) }]);
  assert.deepEqual(one?.workloads, [ready([11, 3])]);
  assert.equal(one?.probes[0]?.subject, 'GET http://web');
  assert.deepEqual(of('r3').experiments, [], 'a run that has not begun has none');
});

for (const [status, problem] of [
  ['Waiting for Job Creation', 'cannot create its pod: exceeded quota'],
  ['Running', 'cannot create its pod: exceeded quota'],
  ['Skipped', undefined],
  ['Completed', undefined],
] as const) {
  test(`what is said against an experiment that is ${status} ${problem === undefined ? 'keeps nothing' : 'keeps the run from going on'}`, () => {
    const reason = 'cannot create its pod: exceeded quota';
    const engine = {
      metadata: { name: 'e', namespace: 'shop' },
      spec: { experiments: [] },
      status: { runId: 'r', experiments: [{ name: 'pod-delete', status, verdict: 'N/A', reason }] },
    } as unknown as ChaosEngine;
    assert.equal(courseOf({ engine, results: [], runId: 'r' } as never).problem?.message, problem);
  });
}
