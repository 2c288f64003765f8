import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { troubleOf } from './agent-trouble.ts';

const pod = (status: object): Pod =>
  ({ metadata: { name: 's', namespace: 'litmus' }, status }) as unknown as Pod;
const waiting = (state: object, lastState?: object): Pod =>
  pod({ containerStatuses: [{ state: { waiting: state }, lastState }] });

const CASES: readonly [what: string, of: Pod, expected: string | undefined][] = [
  ['runs', pod({ containerStatuses: [{ state: { running: {} } }] }), undefined],
  ['is being made', waiting({ reason: 'ContainerCreating' }), undefined],
  [
    'has no image',
    waiting({ reason: 'ErrImagePull', message: 'no such host' }),
    'pod litmus/s: ErrImagePull, no such host',
  ],
  [
    'ends again and again',
    waiting({ reason: 'CrashLoopBackOff' }, { terminated: { exitCode: 1 } }),
    'pod litmus/s: CrashLoopBackOff, it ended with exit code 1',
  ],
  [
    'finds no node',
    pod({ conditions: [{ type: 'PodScheduled', status: 'False', message: '0/1 nodes are available' }] }),
    'pod litmus/s is not scheduled: 0/1 nodes are available',
  ],
  ['is new', pod({}), undefined],
];

for (const [what, of, expected] of CASES) {
  test(`a pod that ${what}`, () => assert.equal(troubleOf(of), expected));
}
