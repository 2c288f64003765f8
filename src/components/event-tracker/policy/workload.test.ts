import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CompiledPolicy } from './compile-policy.ts';
import { seeWorkload } from './workload.ts';

const POLICY = { keys: [] } as unknown as CompiledPolicy;
const GIVEN_UP = { conditions: [{ type: 'Progressing', reason: 'ProgressDeadlineExceeded' }] };
const LATE = { observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 2 };

const TABLE: readonly (readonly [name: string, status: object, isRolling: boolean])[] = [
  ['waits for pods', LATE, true],
  ['was given up', { ...LATE, ...GIVEN_UP }, false],
  ['has changed since it was given up', { ...LATE, ...GIVEN_UP, observedGeneration: 1 }, true],
];

for (const [name, status, isRolling] of TABLE) {
  test(`a Deployment that ${name} is ${isRolling ? '' : 'not '}rolling out`, () => {
    const object = { metadata: { name: 'w', generation: 2 }, spec: { replicas: 3 }, status };
    assert.equal(seeWorkload('Deployment', object, POLICY).isRollingOut, isRolling);
  });
}
