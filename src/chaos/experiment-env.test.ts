import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EnvVar } from '@turnsole/kube/kinds/core';
import { composeExperimentEnv, handoutOf } from './experiment-env.ts';

test('env: a setting of the engine counts unless a field of it says otherwise, and what does not count is known', () => {
  const compose = (variables: EnvVar[], timeout?: number, jobCleanUpPolicy?: 'delete') => {
    const engine = {
      metadata: { name: 'web', namespace: 'shop' },
      spec: { experiments: [], ...(jobCleanUpPolicy && { jobCleanUpPolicy }) },
    };
    return composeExperimentEnv({
      engine,
      name: 'pod-delete',
      definition: { env: [{ name: 'STATUS_CHECK_TIMEOUT', value: '50' }] },
      entry: {
        name: 'pod-delete',
        spec: {
          components: { env: variables, ...(timeout !== undefined && { statusCheckTimeouts: { timeout } }) },
        },
      },
      position: 0,
      handout: handoutOf(engine, {}),
      pullPolicy: 'Always',
      runId: 'r1',
    });
  };
  const valueOf = ({ variables }: ReturnType<typeof compose>, wanted: string) =>
    variables.find(({ name }) => name === wanted)?.value;
  const own = [{ name: 'STATUS_CHECK_TIMEOUT', value: '600' }];
  assert.equal(valueOf(compose([]), 'STATUS_CHECK_TIMEOUT'), '50');
  assert.equal(valueOf(compose([]), 'STATUS_CHECK_DELAY'), '2');
  assert.equal(valueOf(compose(own), 'STATUS_CHECK_TIMEOUT'), '600');
  assert.equal(valueOf(compose(own, 0), 'STATUS_CHECK_TIMEOUT'), '600');
  assert.deepEqual(compose(own).overruled, []);
  const timeouts = 'spec.experiments[0].spec.components.statusCheckTimeouts.timeout';
  assert.equal(valueOf(compose(own, 30), 'STATUS_CHECK_TIMEOUT'), '30');
  assert.deepEqual(compose(own, 30).overruled, [{ name: 'STATUS_CHECK_TIMEOUT', used: '30', by: timeouts }]);
  const policy = [
    { name: 'JOB_CLEANUP_POLICY', value: 'retain' },
    { name: 'RUN_ID', value: 'mine' },
  ];
  assert.equal(valueOf(compose(policy), 'JOB_CLEANUP_POLICY'), 'retain');
  assert.equal(valueOf(compose(policy, undefined, 'delete'), 'JOB_CLEANUP_POLICY'), 'delete');
  assert.deepEqual(
    compose(policy, undefined, 'delete').overruled.map(({ name, by }) => `${name}: ${by}`),
    ['JOB_CLEANUP_POLICY: spec.jobCleanUpPolicy', 'RUN_ID: the runner'],
  );
});
