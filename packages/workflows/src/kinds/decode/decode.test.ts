import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { anyString } from './any-string.ts';
import { decodeCronWorkflow, decodeWorkflow, decodeWorkflowSpec } from './workflow.ts';

const WORKFLOW = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata: { name: 'w' } };

describe('values of any type', () => {
  const rows: readonly [value: unknown, text: string | undefined][] = [
    ['x', 'x'],
    [5, '5'],
    [1.5, '1.5'],
    [1e21, '1000000000000000000000'],
    [1.25e-7, '0.000000125'],
    [-2e22, '-20000000000000000000000'],
    [true, 'true'],
    [null, undefined],
    [{ a: 1 }, '{"a":1}'],
  ];
  for (const [value, text] of rows) test(JSON.stringify(value), () => assert.equal(anyString(value), text));
});

test('parameter values, defaults and choices are texts', () => {
  const spec = decodeWorkflowSpec(
    parse(
      'arguments: {parameters: [{name: a, value: 3, default: true, enum: [1, 2]}, {name: b, value: null}]}',
    ),
  );
  assert.deepEqual(spec.arguments?.parameters, [
    { name: 'a', value: '3', default: 'true', enum: ['1', '2'] },
    { name: 'b' },
  ]);
});

test('empty placeholders are absent', () => {
  const raw = parse(`
arguments: {}
templates:
- name: t
  inputs: {}
  outputs: {parameters: null}
  metadata: {}
  container: {name: "", image: i, resources: {}}
`);
  assert.deepEqual(decodeWorkflowSpec(raw), { templates: [{ name: 't', container: { image: 'i' } }] });
  const workflow = decodeWorkflow({ ...WORKFLOW, spec: {}, status: { startedAt: null, finishedAt: null } });
  assert.deepEqual(workflow.status, {});
});

test('one mutex and one semaphore of the old spelling are lists of one', () => {
  const spec = decodeWorkflowSpec(
    parse('synchronization: {mutex: {name: m}, semaphore: {configMapKeyRef: {name: c, key: k}}}'),
  );
  assert.deepEqual(spec.synchronization, {
    mutexes: [{ name: 'm' }],
    semaphores: [{ configMapKeyRef: { name: 'c', key: 'k' } }],
  });
});

test('one schedule of the old spelling is a list of one', () => {
  const raw = { ...WORKFLOW, spec: { schedule: '0 2 * * *', workflowSpec: {} } };
  assert.deepEqual(decodeCronWorkflow(raw).spec, { schedules: ['0 2 * * *'], workflowSpec: {} });
});

test('fields that are not known stay, everywhere', () => {
  const raw = parse(`
poddisruptionbudget: {minAvailable: 1}
templates:
- name: t
  novelty: [1]
  steps: [[{name: s, template: u, other: {x: 1}}]]
`);
  assert.deepEqual(decodeWorkflowSpec(raw), raw);
});
