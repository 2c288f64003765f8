import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { limitsInForce, podEndedAt } from './container-status.ts';

const NOW = Date.parse('2030-01-01T00:00:10.400Z');

interface Look {
  readonly phase?: string;
  readonly deleted?: boolean;
  /** Times at which containers ended; null: it runs. */
  readonly ends?: readonly (string | null)[];
}

function pod({ phase = 'Running', deleted = false, ends = [null] }: Look): Pod {
  const metadata = { name: 'web', ...(deleted ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}) };
  const containerStatuses = ends.map((finishedAt) => ({
    name: 'web',
    state: finishedAt === null ? { running: {} } : { terminated: { finishedAt } },
  }));
  // Test data: written as it is.
  return { metadata, status: { phase, containerStatuses } } as unknown as Pod;
}

const TABLE: readonly (readonly [what: string, look: Look, endedAt: string | undefined])[] = [
  ['runs', {}, undefined],
  ['runs, and is being deleted', { deleted: true }, undefined],
  ['waits for its container to be started again', { ends: ['2030-01-01T00:00:05Z'] }, undefined],
  [
    'is being deleted, and one container runs',
    { deleted: true, ends: ['2030-01-01T00:00:05Z', null] },
    undefined,
  ],
  ['is being deleted, and has no container yet', { deleted: true, ends: [] }, undefined],
  [
    'is being deleted, and its containers have ended',
    { deleted: true, ends: ['2030-01-01T00:00:05Z', '2030-01-01T00:00:07Z'] },
    '2030-01-01T00:00:08.000Z',
  ],
  ['has failed this second', { phase: 'Failed', ends: ['2030-01-01T00:00:10Z'] }, '2030-01-01T00:00:10.400Z'],
  [
    'has failed by a clock that is ahead',
    { phase: 'Failed', ends: ['2030-01-01T01:00:00Z'] },
    '2030-01-01T00:00:10.400Z',
  ],
  ['was evicted before anything ran', { phase: 'Failed', ends: [] }, '2030-01-01T00:00:10.400Z'],
];

for (const [what, look, endedAt] of TABLE) {
  test(`the end of a pod that ${what}`, () => {
    const ms = podEndedAt(pod(look), NOW);
    assert.equal(ms === undefined ? undefined : new Date(ms).toISOString(), endedAt);
  });
}

const ASKED = { cpu: '300m' };
const HAD = { cpu: '200m' };
const LIMITS: readonly (readonly [what: string, status: unknown, limits: unknown])[] = [
  ['whose resize is deferred', { resources: { limits: HAD } }, HAD],
  ['that runs without limits, and is to get some', { resources: {} }, undefined],
  ['of a cluster that says nothing of resources', {}, ASKED],
  ['that has no status yet', undefined, ASKED],
];

for (const [what, status, limits] of LIMITS) {
  test(`the limits that hold for a container ${what}`, () => {
    const spec = { containers: [{ name: 'web', resources: { limits: ASKED } }] };
    const containerStatuses = status === undefined ? [] : [{ name: 'web', ...status }];
    // Test data: written as it is.
    const pod = { metadata: { name: 'web' }, spec, status: { containerStatuses } } as unknown as Pod;
    assert.deepEqual(limitsInForce(pod, { container: 'web' }), limits);
  });
}
