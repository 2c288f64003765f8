import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { annotatedPlan, parseSeconds, SIMULATED_PREFIX } from './annotations.ts';

function podOf(annotations: Record<string, string>, job = false, name = 'p'): Pod {
  const prefixed = Object.entries(annotations).map(([key, value]) => [SIMULATED_PREFIX + key, value]);
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u', controller: true };
  return {
    metadata: {
      name,
      namespace: 'n',
      annotations: Object.fromEntries(prefixed),
      ...(job ? { ownerReferences: [owner] } : {}),
    },
    spec: { restartPolicy: job ? 'Never' : 'Always', containers: [{ name: 'c' }] },
  };
}

test('annotations say how long a simulated pod runs and how it ends', () => {
  const table: readonly (readonly [string, Pod, unknown])[] = [
    ['none: for ever', podOf({}), {}],
    ['seconds', podOf({ 'run-seconds': '2', 'ready-after': '0.5' }), { runMs: 2000, readyAfterMs: 500 }],
    ['never', podOf({ 'ready-after': 'never' }), { readyAfterMs: Number.POSITIVE_INFINITY }],
    ['exit', podOf({ 'exit-code': '7', 'fail-start': 'why' }), { exitCode: 7, failStart: 'why' }],
    [
      'of one container',
      podOf({ 'run-seconds': '9', 'exit-code.c': '1' }),
      { runMs: 9000, containers: { c: { runMs: 9000, exitCode: 1 } } },
    ],
    ['a process', podOf({ run: 'process' }), 'process'],
    [
      'what it says it uses',
      podOf({ cpu: '250m', 'memory.c': '1Gi' }),
      { cpuMillis: 250, containers: { c: { cpuMillis: 250, memoryBytes: 2 ** 30 } } },
    ],
  ];
  for (const [name, pod, plan] of table)
    assert.deepEqual(annotatedPlan(pod, 's'), { plan, problems: [] }, name);
});

test('pods of a job end after about a second, each at its own time, the same for the same seed', () => {
  const times = ['a', 'b', 'c'].map((name) => annotatedPlan(podOf({}, true, name), 's').plan);
  const again = ['a', 'b', 'c'].map((name) => annotatedPlan(podOf({}, true, name), 's').plan);
  assert.deepEqual(times, again);
  assert.notDeepEqual(
    times,
    ['a', 'b', 'c'].map((name) => annotatedPlan(podOf({}, true, name), 't').plan),
  );
  for (const plan of times) {
    assert.ok(
      typeof plan === 'object' && plan.runMs !== undefined && plan.runMs >= 500 && plan.runMs <= 1500,
    );
  }
});

test('an annotation that cannot be understood is reported and ignored', () => {
  const { plan, problems } = annotatedPlan(
    podOf({ 'run-seconds': 'soon', typo: '1', 'exit-code': '999' }),
    's',
  );
  assert.deepEqual(plan, {});
  assert.deepEqual(problems, [
    'annotation simulated.turnsole.io/run-seconds: expected seconds such as 2, 0.5 or 1-3, or "never", found "soon"; it is ignored',
    'annotation simulated.turnsole.io/typo: expected one of start-after, ready-after, run-seconds, stop-seconds, fail-start, exit-code, cpu, memory, run, found "1"; it is ignored',
    'annotation simulated.turnsole.io/exit-code: expected a whole number from 0 to 255, found "999"; it is ignored',
  ]);
});

test('a range is gone through from its begin to its end', () => {
  assert.deepEqual(
    [0, 0.5, 1].map((fraction) => parseSeconds('1-3', fraction)),
    [1000, 2000, 3000],
  );
  for (const text of ['', '-1', '3-1', '1s']) assert.equal(parseSeconds(text, 0), undefined, text);
});
