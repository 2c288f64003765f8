/** Reports of a run of which there is an agent's account only. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toJUnit } from '../junit.ts';
import { exitCodeOf } from '../outcome/of-report.ts';
import type { AccountNode, RunAccount } from './account.ts';
import { accountPage } from './account-page.ts';
import { accountReport } from './account-report.ts';

const node = (id: string, rest: Partial<AccountNode>): AccountNode => ({
  ...{ id, name: id, phase: 'Succeeded', type: 'Pod', message: '', startedAt: '1000', finishedAt: '1010' },
  engine: undefined,
  ...rest,
});
const ACCOUNT: RunAccount = {
  ...{ name: 'shop-1', namespace: 'litmus', phase: 'Failed' },
  ...{ workflowPhase: '', message: '', isWorkflow: true },
  nodes: [
    node('shop-1', { type: 'Steps', phase: 'Failed', message: 'child failed', finishedAt: '1040' }),
    node('shop-1-a', { name: 'install' }),
    node('shop-1-b', {
      ...{
        name: 'pod-delete',
        type: 'ChaosEngine',
        phase: 'Completed_With_Probe_Failure',
        startedAt: '1010',
        finishedAt: '1040',
      },
      engine: {
        ...{
          name: 'pod-delete-x',
          namespace: '',
          experiment: 'pod-delete',
          phase: 'Completed',
          verdict: 'Fail',
          ownVerdict: '',
        },
        ...{
          failStep: 'TARGET_SELECTION_ERROR : {"errorCode":"TARGET_SELECTION_ERROR","reason":"no pod"}',
          percentage: 50,
        },
        probes: [{ name: 'slo', type: 'promProbe', mode: 'EOT', verdict: 'Failed', description: 'too many' }],
        targets: [{ kind: 'pod', name: 'web-1', status: 'reverted' }],
      },
    }),
    node('shop-1-c', { phase: '', startedAt: '', finishedAt: '' }),
  ],
};
const ABOUT = {
  ...{ turnsole: '1', startedMs: 1_000_000, endedMs: 1_040_000, isStopped: false },
  problem: null,
};

test('engines, probes and steps are those of the account, with the times that it has', () => {
  const { engines, workflows } = accountReport(ACCOUNT, ABOUT);
  assert.deepEqual(engines[0]?.experiments, [
    {
      ...{ name: 'pod-delete', verdict: 'Fail', phase: 'Completed', probeSuccessPercentage: '50' },
      probes: [{ name: 'slo', type: 'promProbe', mode: 'EOT', verdict: 'Failed', description: 'too many' }],
      targets: [{ kind: 'pod', name: 'web-1', status: 'reverted' }],
      errorCode: 'TARGET_SELECTION_ERROR',
      reason: 'found no target that it may hit: no pod',
      ...{ startedAt: '1970-01-01T00:16:50.000Z', endedAt: '1970-01-01T00:17:20.000Z' },
    },
  ]);
  assert.deepEqual(
    [engines[0]?.namespace, engines[0]?.workflow, workflows?.[0]?.phase, workflows?.[0]?.message],
    ['litmus', 'shop-1', 'Failed', 'child failed'],
  );
  assert.deepEqual(
    workflows?.[0]?.nodes.map(({ displayName, phase }) => [displayName, phase]),
    [
      ['shop-1', 'Failed'],
      ['install', 'Succeeded'],
      ['pod-delete', 'Failed'],
      ['shop-1-c', 'Pending'],
    ],
  );
});

test('its JUnit has a suite of the engine and one of the workflow', () => {
  const xml = toJUnit(accountReport(ACCOUNT, ABOUT));
  assert.match(xml, /<testsuite name="litmus\/pod-delete-x" tests="1" failures="1"/);
  assert.match(xml, /<testsuite name="workflow litmus\/shop-1" tests="4"/);
  assert.match(xml, /message="found no target that it may hit: no pod; probe slo: too many/);
});

test('an engine without a workflow is reported by itself', () => {
  const { engines, workflows } = accountReport(
    { ...ACCOUNT, isWorkflow: false, nodes: ACCOUNT.nodes.slice(2, 3) },
    ABOUT,
  );
  assert.deepEqual([engines.length, engines[0]?.workflow, workflows], [1, undefined, undefined]);
});

test('its page has the account, a line for each beginning and end, and no lanes of its own', () => {
  const page = accountPage(ACCOUNT, { ...ABOUT, title: 'shop, run 1', text: '{}' });
  assert.deepEqual(page.lanes, []);
  assert.equal(page.account, '{}');
  assert.deepEqual(
    page.steps.map(({ actor, message }) => `${actor} ${message}`),
    [
      'step/shop-1 Steps shop-1 began',
      'step/install Pod shop-1-a began',
      'step/install Succeeded',
      'step/pod-delete ChaosEngine shop-1-b began',
      'step/shop-1 Failed: child failed',
      'step/pod-delete Completed_With_Probe_Failure',
    ],
  );
});

const NEVER = { ...ACCOUNT, phase: 'Error', nodes: [] };

for (const isWorkflow of [true, false]) {
  test(`a ${isWorkflow ? 'workflow' : 'engine'} that never began is an error with its reason, never a run without tests`, () => {
    const about = { ...ABOUT, problem: 'the webhook <said> no' };
    const report = accountReport({ ...NEVER, isWorkflow }, about);
    const xml = toJUnit(report);
    assert.match(xml, /<testsuites name="turnsole" tests="1" failures="0" errors="1" skipped="0"/);
    assert.match(
      xml,
      /<error message="the webhook &lt;said&gt; no"(\/>|>the webhook &lt;said&gt; no<\/error>)/,
    );
    assert.notEqual(exitCodeOf(report), 0);
    assert.deepEqual(accountPage(NEVER, { ...about, title: 't', text: '{}' }).warnings, [
      'The run never began: the webhook <said> no',
    ]);
  });
}
