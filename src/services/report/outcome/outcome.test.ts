import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExperimentFacts, RunFacts, WorkflowFacts } from './facts.ts';
import { outcomeOf } from './outcome.ts';
import { RUN_STATES, type RunState, stateRow } from './run-states.ts';

const probe = (verdict: string, name = 'users') => ({
  name,
  type: 'httpProbe',
  mode: 'Continuous',
  verdict,
  description: '503.',
});
const experiment = (verdict: string, changes: Partial<ExperimentFacts> = {}): ExperimentFacts => ({
  ...{
    name: 'pod-delete',
    verdict,
    probes: [probe('Passed')],
    probeSuccessPercentage: '100',
    isDryRun: false,
  },
  ...changes,
});
const unjudged = (verdict = 'Pass', name = 'pod-delete') => experiment(verdict, { name, probes: [] });
const step = (displayName: string, phase: string, message = '', type = 'Pod') => ({
  displayName,
  phase,
  message,
  type,
});
const SMOKE = step('smoke-test', 'Failed', 'main: Error (exit code 3)');
const workflow = (phase: string, ...nodes: readonly WorkflowFacts['nodes'][number][]): WorkflowFacts => ({
  ...{ phase, message: "child 'w-1' failed" },
  nodes: [step('w', phase, '', 'Steps'), ...nodes],
});
const empty = (phase: string, message: string): WorkflowFacts => ({ phase, message, nodes: [] });

/** Whether it has a score is the star. */
const TABLE: readonly (readonly [
  name: string,
  facts: Partial<RunFacts>,
  outcome: string,
  code: number | undefined,
])[] = [
  ['an engine that passed', { experiments: [experiment('Pass')] }, 'Passed*', 0],
  [
    'an engine without probes that passed',
    { experiments: [unjudged()] },
    'Passed: nothing judged what users saw',
    0,
  ],
  [
    'probes of which none was evaluated',
    { experiments: [experiment('Pass', { probes: [probe('N/A'), probe('Awaited')] })] },
    'Passed: nothing judged what users saw',
    0,
  ],
  [
    'probes that looked before the fault only',
    { experiments: [experiment('Pass', { probes: [{ ...probe('Passed'), mode: 'SOT' }] })] },
    'Passed: nothing judged what users saw',
    0,
  ],
  [
    'probes that looked after the fault only',
    { experiments: [experiment('Pass', { probes: [{ ...probe('Passed'), mode: 'EOT' }] })] },
    'Passed*: no probe measured while the fault was in force',
    0,
  ],
  [
    'probes that looked after one of two faults only',
    {
      experiments: [
        experiment('Pass'),
        { ...experiment('Pass', { probes: [{ ...probe('Passed'), mode: 'Edge' }] }), name: 'node-drain' },
      ],
    },
    'Passed*: no probe measured while the fault was in force of node-drain',
    0,
  ],
  [
    'one of two steps with the same fault that failed',
    {
      experiments: [
        experiment('Pass', { step: 'first' }),
        experiment('Fail', { step: 'second', probes: [probe('Failed')] }),
      ],
    },
    'Failed*: pod-delete (second): probe users: 503',
    1,
  ],
  [
    'the only step with a fault that failed',
    { experiments: [experiment('Fail', { step: 'second', probes: [probe('Failed')] })] },
    'Failed*: pod-delete: probe users: 503',
    1,
  ],
  [
    'one of two experiments without probes',
    { experiments: [experiment('Pass'), unjudged('Pass', 'node-drain')] },
    'Passed*: nothing judged what users saw during node-drain',
    0,
  ],
  [
    'an engine whose result is not known',
    { experiments: [experiment('Pass', { probes: [], probeSuccessPercentage: undefined })] },
    'Passed*',
    0,
  ],
  [
    'a failed probe',
    { experiments: [experiment('Fail', { probes: [probe('Failed'), probe('Passed')] })] },
    'Failed*: pod-delete: probe users: 503',
    1,
  ],
  [
    'two failed probes and a reason',
    {
      experiments: [experiment('Fail', { probes: [probe('Failed'), probe('Failed', 'b')], reason: 'slow' })],
    },
    'Failed*: pod-delete: slow (and 2 more)',
    1,
  ],
  ['a failure without probes', { experiments: [unjudged('Fail')] }, 'Failed: pod-delete: failed', 1],
  ['an error', { experiments: [experiment('Error', { reason: 'no pod' })] }, 'Error: pod-delete: no pod', 1],
  [
    'a failure beside an error',
    {
      experiments: [
        experiment('Error', { reason: 'no pod' }),
        experiment('Fail', { probes: [probe('Failed')] }),
      ],
    },
    'Failed*: pod-delete: probe users: 503',
    1,
  ],
  [
    'an experiment without a verdict',
    { experiments: [unjudged('N/A')] },
    'Error: pod-delete: came to no verdict',
    1,
  ],
  ['an engine without experiments', {}, 'Error: it has no experiment', 1],
  [
    'an experiment that was stopped on its own',
    { experiments: [unjudged('Stopped')] },
    'Stopped: pod-delete: was stopped',
    1,
  ],
  [
    'an experiment that its probe stopped',
    { experiments: [experiment('Stopped', { probes: [probe('Failed')] })] },
    'Failed*: pod-delete: probe users: 503',
    1,
  ],
  ['a run that a user stopped', { isStopped: true, experiments: [experiment('Pass')] }, 'Stopped', 130],
  ['a run that a user stopped before it began', { isStopped: true, problem: 'x' }, 'Stopped', 130],
  ['a run that never began', { problem: 'the agent was away' }, 'Could not run: the agent was away', 3],
  [
    'an application that was broken before the fault',
    {
      experiments: [
        experiment('Error', { errorCode: 'NOT_STEADY', reason: 'users failed' }),
        experiment('Pass'),
      ],
    },
    'Error: pod-delete: users failed',
    5,
  ],
  [
    'pods that were not healthy before the fault',
    {
      experiments: [
        experiment('Error', {
          errorCode: 'STATUS_CHECKS_ERROR',
          errorPhase: 'PreChaos',
          reason: 'no pod is ready',
        }),
      ],
    },
    'Error: pod-delete: no pod is ready',
    5,
  ],
  [
    'pods that have not recovered',
    {
      experiments: [
        experiment('Error', {
          errorCode: 'STATUS_CHECKS_ERROR',
          errorPhase: 'PostChaos',
          reason: 'no pod is ready',
        }),
      ],
    },
    'Error: pod-delete: no pod is ready',
    1,
  ],
  [
    'one that was broken before the fault beside a failure',
    { experiments: [experiment('Error', { errorCode: 'NOT_STEADY' }), experiment('Fail', { probes: [] })] },
    'Failed*: pod-delete: failed',
    1,
  ],
  ['a dry run', { experiments: [experiment('N/A', { isDryRun: true })] }, 'Dry run: nothing was injected', 4],
  [
    'a dry run that was skipped',
    { experiments: [experiment('N/A', { isDryRun: true, skipped: true })] },
    'Error: pod-delete: came to no verdict',
    1,
  ],
  ['an engine under way', { isOver: false, experiments: [experiment('Awaited')] }, 'Running', undefined],
  ['an engine not taken up', { isOver: false }, 'Pending', undefined],
  ['a workflow not taken up', { isOver: false, workflow: empty('Pending', '') }, 'Pending', undefined],
  ['a workflow under way', { isOver: false, workflow: workflow('Running') }, 'Running', undefined],
  [
    'a workflow whose fault passed',
    { workflow: workflow('Succeeded', step('a', 'Succeeded')), experiments: [experiment('Pass')] },
    'Passed*',
    0,
  ],
  [
    'a workflow whose last step failed',
    { workflow: workflow('Failed', SMOKE), experiments: [experiment('Pass')] },
    'Failed: smoke-test ended with exit code 3; the application held through the chaos',
    1,
  ],
  [
    'a failed step, and chaos that nothing judged',
    { workflow: workflow('Failed', SMOKE), experiments: [unjudged()] },
    'Failed: smoke-test ended with exit code 3; nothing judged what users saw',
    1,
  ],
  [
    'a failed step, without chaos',
    { workflow: workflow('Failed', SMOKE) },
    'Failed: smoke-test ended with exit code 3',
    1,
  ],
  [
    'a failed step before the chaos',
    { workflow: workflow('Failed', SMOKE), notMade: ['pod-delete'] },
    'Failed: smoke-test ended with exit code 3; nothing was injected',
    1,
  ],
  [
    'a failed step and a failed probe',
    { workflow: workflow('Failed', SMOKE), experiments: [experiment('Fail', { probes: [probe('Failed')] })] },
    'Failed*: pod-delete: probe users: 503; smoke-test ended with exit code 3',
    1,
  ],
  [
    'a failed step and an experiment without a verdict',
    { workflow: workflow('Failed', SMOKE), experiments: [experiment('Error', { reason: 'no pod' })] },
    'Error: pod-delete: no pod; smoke-test ended with exit code 3',
    1,
  ],
  [
    'a step that was ended by a signal, and one that could not run',
    {
      workflow: workflow(
        'Error',
        step('a', 'Failed', 'Error (exit code 143)'),
        step('b', 'Error', 'Unschedulable.'),
      ),
    },
    'Error: a ended with exit code 143, b could not run: Unschedulable',
    1,
  ],
  [
    'a step that the kernel killed',
    { workflow: workflow('Failed', step('a', 'Failed', 'main: OOMKilled (exit code 137): x')) },
    'Failed: a ended with exit code 137 (OOMKilled: x)',
    1,
  ],
  [
    'a step that succeeded at its second attempt, beside one that never did',
    {
      workflow: workflow(
        'Failed',
        ...[step('a', 'Succeeded', '', 'Retry'), step('a(0)', 'Failed', 'x'), step('a(1)', 'Succeeded')],
        ...[
          step('b', 'Failed', 'No more retries left', 'Retry'),
          step('b(0)', 'Failed', 'one'),
          step('b(1)', 'Failed', 'two'),
        ],
      ),
    },
    'Failed: b failed: two',
    1,
  ],
  [
    'many failed steps',
    { workflow: workflow('Failed', ...['a', 'b', 'c', 'd', 'e'].map((name) => step(name, 'Failed', 'x'))) },
    'Failed: a failed: x, b failed: x, c failed: x, 2 more steps failed',
    1,
  ],
  [
    'a workflow beyond its time',
    {
      workflow: { ...workflow('Failed'), message: 'Step exceeded its deadline' },
      experiments: [experiment('Pass')],
    },
    'Failed: the workflow failed: Step exceeded its deadline; the application held through the chaos',
    1,
  ],
  [
    'a workflow that was refused',
    { workflow: empty('Failed', 'invalid spec: failed to resolve {{x}}.') },
    'Could not run: the workflow was refused: failed to resolve {{x}}',
    3,
  ],
  [
    'a refused workflow in the words of an agent that calls it completed',
    { workflow: empty('Succeeded', 'invalid spec: x') },
    'Could not run: the workflow was refused: x',
    3,
  ],
  [
    'a workflow without a node',
    { workflow: empty('Error', 'no such account') },
    'Could not run: the workflow never began: no such account',
    3,
  ],
  [
    'a workflow without a node or a reason',
    { workflow: empty('Failed', '') },
    'Could not run: the workflow never began, and its controller gave no reason',
    3,
  ],
  [
    'a workflow that succeeded without its engine',
    { workflow: workflow('Succeeded'), notMade: ['pod-delete'] },
    'Could not run: the chaos of pod-delete never began, so there is no verdict',
    3,
  ],
  [
    'a workflow without chaos',
    { workflow: workflow('Succeeded') },
    'Passed: it has no faults: nothing was injected',
    0,
  ],
];

/** States that probes decide. */
const SCORED: readonly RunState[] = ['passed', 'failedByProbe', 'failed'];

for (const [name, facts, outcome, code] of TABLE) {
  test(`the outcome of ${name}: ${outcome}`, () => {
    const found = outcomeOf({ isOver: true, isStopped: false, experiments: [], notMade: [], ...facts });
    const { word, reason, isScored, exitCode } = found;
    assert.equal(`${word}${isScored ? '*' : ''}${reason === undefined ? '' : `: ${reason}`}`, outcome);
    assert.equal(exitCode, code);
    const row = stateRow(found.state ?? '');
    assert.deepEqual([row?.word, row?.exitCode], [word, code], `of the state ${found.state}`);
    if (isScored) assert.ok(SCORED.includes(found.state ?? 'error'), found.state);
  });
}

test('a row of the table of states is reached by each outcome, and has its words', () => {
  const found = TABLE.map(([, facts]) =>
    outcomeOf({ isOver: true, isStopped: false, experiments: [], notMade: [], ...facts }),
  );
  const reached = new Set(found.map(({ state }) => state));
  const ends = Object.keys(RUN_STATES).filter((state) => stateRow(state)?.exitCode !== undefined);
  // A run that was skipped has no facts: the server knows it by its phase.
  assert.deepEqual(
    ends.filter((state) => !reached.has(state as RunState)),
    ['skipped'],
  );
  assert.deepEqual(
    Object.entries(RUN_STATES).flatMap(([state, { tone }]) => (tone === 'good' ? [state] : [])),
    ['passed'],
    'nothing is green that was not checked',
  );
});
