import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toJUnit } from '../../services/report/junit.ts';
import type { RunReport } from '../../services/report/model.ts';
import { withStableNames } from './stable-names.ts';

/** The report of one run of an experiment `shop`. */
function report(runName: string): RunReport {
  const times = { startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:00:01Z' };
  const experiment = { name: 'pod-delete', verdict: 'Pass', probes: [], targets: [] };
  return {
    turnsole: '0',
    ...times,
    aborted: false,
    engines: [
      { namespace: 'litmus', name: runName, status: 'completed', experiments: [experiment], timeline: [] },
    ],
    workflows: [
      {
        namespace: 'litmus',
        name: runName,
        phase: 'Succeeded',
        nodes: [{ name: runName, displayName: runName, type: 'Pod', phase: 'Succeeded' }],
        engines: [],
        timeline: [],
      },
    ],
  };
}

test('suites and tests of two runs of an experiment have the same names', () => {
  const [first, second] = ['shop-1795874568152', 'shop-1795874599999'].map((name) =>
    toJUnit(withStableNames(report(name), name, 'shop')),
  );
  assert.equal(first, second);
  assert.match(first ?? '', /<testsuite name="litmus\/shop" /);
  assert.match(first ?? '', /<testsuite name="workflow litmus\/shop" /);
});

test('engines still belong to the workflow that made them, so that the outcome of the run is that of its suite', () => {
  const run = report('shop-1');
  const engines = run.engines.map((engine) => ({ ...engine, name: 'e', workflow: 'shop-1' }));
  const workflows = (run.workflows ?? []).map((one) => ({ ...one, engines: ['litmus/e'] }));
  const reason = 'its last step failed';
  const outcome = { word: 'Failed', by: 'run', isScored: false, exitCode: 1, reason } as const;
  const text = toJUnit(withStableNames({ ...run, engines, workflows, outcome }, 'shop-1', 'shop'));
  assert.match(text, /<testcase name="workflow shop"[^>]*>\s*<failure message="its last step failed"/);
});

test('names of others stay', () => {
  const named = withStableNames(report('other'), 'shop-1', 'shop');
  assert.deepEqual(
    named.engines.map(({ name }) => name),
    ['other'],
  );
  assert.deepEqual(withStableNames(report('other'), '', 'shop'), report('other'));
});
