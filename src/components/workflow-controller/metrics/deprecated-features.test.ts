import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { deprecatedInCron, deprecatedInWorkflow } from './deprecated-features.ts';

const WORKFLOWS: readonly (readonly [spec: string, features: readonly string[]])[] = [
  ['{}', []],
  [
    '{synchronization: {mutexes: [{name: m}]}, templates: [{name: a, synchronization: {semaphores: []}}]}',
    [],
  ],
  ['{synchronization: {mutex: {name: m}}}', ['synchronization mutex']],
  [
    '{templates: [{name: a, synchronization: {mutex: {}}}, {name: b, synchronization: {mutex: {}}}]}',
    ['synchronization mutex'],
  ],
  ['{templateDefaults: {synchronization: {semaphore: {}}}}', ['synchronization semaphore']],
  ['{podPriority: 0}', ['workflow podpriority']],
  ['{templates: [{name: a, priority: 5}]}', ['workflow podpriority']],
  ['{priority: 5, podPriorityClassName: high, templates: [{name: a, priority: null}]}', []],
];
for (const [spec, features] of WORKFLOWS) {
  test(`old spellings in ${spec}`, () => assert.deepEqual(deprecatedInWorkflow(parse(spec)), features));
}

test('a CronWorkflow with one schedule in place of a list', () => {
  assert.deepEqual(deprecatedInCron({ schedule: '0 2 * * *' }), ['cronworkflow schedule']);
  assert.deepEqual(deprecatedInCron({ schedules: ['0 2 * * *'], schedule: '' }), []);
  assert.deepEqual(deprecatedInCron(undefined), []);
});
