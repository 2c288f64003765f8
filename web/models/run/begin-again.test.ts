import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begunAgain } from './begin-again.ts';

const metadata = { name: 'web' };
const ROWS: readonly [name: string, object: unknown, wanted: unknown][] = [
  [
    'an engine that has ended',
    { kind: 'ChaosEngine', metadata, spec: { engineState: 'stop', experiments: [] }, status: { runId: 'r' } },
    { kind: 'ChaosEngine', metadata, spec: { engineState: 'active', experiments: [] } },
  ],
  [
    'a workflow that was stopped',
    { kind: 'Workflow', metadata, spec: { shutdown: 'Stop', suspend: true, entrypoint: 'a' }, status: {} },
    { kind: 'Workflow', metadata, spec: { entrypoint: 'a' } },
  ],
  ['no object', ['web'], ['web']],
  ['an object without a spec', { kind: 'ChaosEngine', metadata }, { kind: 'ChaosEngine', metadata }],
];
for (const [name, object, wanted] of ROWS)
  test(`begun again: ${name}`, () => assert.deepEqual(begunAgain(object), wanted));
