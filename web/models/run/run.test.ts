/** A run by what its agent reports of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readExecution } from './execution.ts';
import { runLanes, runVerdicts, stepsOf } from './run-lanes.ts';

const REPORT = {
  name: 'checkout',
  phase: 'Running',
  startedAt: '1000',
  finishedAt: '',
  nodes: {
    checkout: { name: 'checkout', phase: 'Running', type: 'Steps', startedAt: '1000', children: ['g'] },
    g: { name: '[0]', phase: 'Running', type: 'StepGroup', startedAt: '1000', children: ['b', 'a'] },
    b: {
      ...{ name: 'pod-delete', phase: 'Running', type: 'ChaosEngine', startedAt: '1010', finishedAt: '' },
      chaosData: {
        ...{ engineName: 'pod-delete-x', experimentName: 'pod-delete', experimentVerdict: 'Awaited' },
        chaosResult: {
          status: {
            probeStatuses: [
              { name: 'alive', mode: 'Continuous', type: 'httpProbe', status: { verdict: 'Passed' } },
              { name: 'slo', mode: 'EOT', status: { verdict: 'Failed', description: 'too many errors' } },
            ],
            history: { targets: [{ name: 'web-1', kind: 'pod', chaosStatus: 'targeted' }] },
          },
        },
      },
    },
    a: {
      name: 'install',
      phase: 'Failed',
      type: 'Pod',
      message: 'exit code 1',
      startedAt: '1001',
      finishedAt: '1004',
    },
  },
};
const execution = readExecution(JSON.stringify(REPORT));
assert.ok(execution !== undefined);

test('the steps are those that work, in order of their beginning', () => {
  assert.deepEqual(
    stepsOf(execution).map(({ name }) => name),
    ['install', 'pod-delete'],
  );
});

test('a run that is not over ends now', () => {
  const { startMs, endMs, lanes } = runLanes(execution, 1_020_000);
  assert.deepEqual([startMs, endMs], [1_000_000, 1_020_000]);
  assert.deepEqual(
    lanes.map(
      ({ group, name, bars }) =>
        `${group}: ${name}: ${bars.map(({ kind, fromMs, toMs }) => `${kind} ${fromMs / 1000}-${toMs / 1000}`)}`,
    ),
    [
      'Steps: install: failure 1001-1004',
      'Steps: pod-delete: life 1010-1020',
      'Targets: pod web-1: injected 1010-1020',
      'Probes: alive (Continuous), pod-delete: passed 1010-1020',
      'Probes: slo (EOT), pod-delete: failure 1010-1020',
    ],
  );
});

test('lanes of several engines name the step of their engine', () => {
  const { lanes } = runLanes(
    {
      ...execution,
      nodes: execution.nodes.flatMap((node) => [node, { ...node, name: `${node.name}-again` }]),
    },
    1_020_000,
  );
  const names = lanes.filter(({ group }) => group !== 'Steps').map(({ group, name }) => `${group}: ${name}`);
  assert.deepEqual(names, [
    'Targets: pod web-1, pod-delete',
    'Targets: pod web-1, pod-delete-again',
    'Probes: alive (Continuous), pod-delete',
    'Probes: slo (EOT), pod-delete',
    'Probes: alive (Continuous), pod-delete-again',
    'Probes: slo (EOT), pod-delete-again',
  ]);
});

test('verdicts are those of engines, and failures of other steps', () => {
  assert.deepEqual(runVerdicts(execution), [
    { experiment: 'pod-delete', verdict: 'Awaited', detail: '' },
    { experiment: 'step install', verdict: 'Error', detail: 'exit code 1' },
  ]);
});

test('a report in whatever form is read or refused, never a failure', () => {
  assert.equal(readExecution('not JSON'), undefined);
  assert.equal(readExecution('[]'), undefined);
  assert.deepEqual(
    readExecution('{"nodes":{"a":null}}')?.nodes.map(({ name }) => name),
    ['a'],
  );
  fc.assert(
    fc.property(fc.json(), fc.jsonValue(), (text, value) => {
      for (const report of [
        text,
        JSON.stringify({ nodes: { n: value } }),
        JSON.stringify({ nodes: { n: { chaosData: value } } }),
      ]) {
        const found = readExecution(report);
        if (found !== undefined) runLanes(found, 0);
      }
    }),
  );
});
