import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseObject } from '@turnsole/kube/text/json';
import type { ClusterObject, Infra } from '../schema/generated/types.ts';
import type { ReadRun } from './cluster-run.ts';
import { asExperimentRun, watchedName } from './watched-runs.ts';

const IDS: readonly (readonly [id: unknown, name: string | undefined])[] = [
  ['ChaosEngine/shop/web', 'shop/web'],
  ['Workflow/shop/night', 'shop/night'],
  ['ChaosResult/shop/web-pod-delete', 'shop/web-pod-delete'],
  ['Secret/shop/web', undefined],
  ['ChaosEngine/shop', undefined],
  ['ChaosEngine//web', undefined],
  ['ChaosEngine/shop/web/more', undefined],
  ['0e2f2d2c-0000-4000-8000-000000000000', undefined],
  [undefined, undefined],
  [null, undefined],
];
for (const [id, name] of IDS) {
  test(`${id} is ${name === undefined ? 'no object of the cluster' : name}`, () => {
    const found = watchedName(id);
    assert.equal(found && `${found.namespace}/${found.name}`, name);
  });
}

const OBJECT: ClusterObject = {
  ...{ id: 'ChaosEngine/shop/web', kind: 'ChaosEngine', namespace: 'shop', name: 'web', uid: 'u' },
  ...{ state: 'chaos', since: '5000', seconds: 15, phase: 'initialized', verdict: null, message: null },
  ...{ faults: ['pod-delete'], parent: null, createdAt: '1000', startedAt: '2000', finishedAt: null },
};
const PAGE = { title: '', startMs: 0, endMs: 0, lanes: [], verdicts: [], warnings: [], steps: [] };
const RUN = {
  ...{ object: OBJECT, removed: false, stopping: false, page: PAGE, nodes: {}, details: [], pods: [] },
  manifest: { metadata: { name: 'web' } },
} as unknown as ReadRun;
const INFRA = { projectID: 'p', infraID: 'i' } as Infra;
const ended = { state: 'passed', word: 'Passed', by: 'chaos', survival: 'web survived: …' } as const;
const isOver = { ...OBJECT, state: 'passed', phase: 'completed', finishedAt: '9000' };

/** What becomes of a run: phase, state, reason, survival, whether verdicts decided, the end in the report of its steps. */
const FORMS: readonly (readonly [what: string, run: Partial<ReadRun>, form: readonly unknown[]])[] = [
  ['under way', {}, ['Running', 'chaos', null, null, true, undefined]],
  ['stopped by a user, and reverting', { stopping: true }, ['Stopped', 'chaos', null, null, true, undefined]],
  [
    'over',
    { object: isOver, page: { ...PAGE, outcome: ended } as never },
    ['Completed', 'passed', null, 'web survived: …', true, '9'],
  ],
  [
    'ended by a step',
    {
      object: { ...isOver, state: 'failedByStep' },
      page: {
        ...PAGE,
        outcome: { state: 'failedByStep', word: 'Failed', by: 'run', reason: 'why' },
      } as never,
    },
    ['Completed', 'failedByStep', 'why', null, false, '9'],
  ],
  [
    'over after a stop',
    { object: { ...isOver, state: 'stopped', phase: 'stopped' } },
    ['Stopped', 'stopped', null, null, true, '9'],
  ],
  ['deleted while it ran', { removed: true }, ['Completed', 'chaos', null, null, true, '1']],
];
for (const [what, changes, form] of FORMS) {
  test(`a run that is ${what}, in the form of registered ones`, () => {
    const run = asExperimentRun({ ...RUN, ...changes }, INFRA);
    const { state, reason, survival, isByChaos } = run.outcome;
    const report = parseObject(run.executionData) ?? {};
    assert.deepEqual([run.phase, state, reason, survival, isByChaos, report.finishedAt], form);
    assert.equal(run.isRemoved, changes.removed === true);
  });
}

test('logs of pods that are gone count as kept; the nodes of a workflow are the steps', () => {
  const pod = { namespace: 'shop', name: 'web', container: 'main' };
  const pods = [
    { ...pod, isThere: false },
    { ...pod, isThere: true },
  ];
  const { keptLogs, executionData } = asExperimentRun(
    { ...RUN, pods, nodes: { night: { id: 'night' } } },
    INFRA,
  );
  assert.equal(keptLogs, 1);
  assert.deepEqual(parseObject(executionData), { name: 'web', nodes: { night: { id: 'night' } } });
});
