import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { waitingReason } from '../logs/pod-logs.ts';
import { workflowLogs } from './logs.ts';

const IMAGE = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "gone"' };

function pod(name: string, status: Pod['status']): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'n' },
    spec: { containers: [{ name: 'main' }] },
    status,
  };
}

const STUCK = pod('stuck', {
  phase: 'Pending',
  containerStatuses: [{ name: 'main', state: { waiting: IMAGE } } as never],
});
const DONE = pod('done', { phase: 'Succeeded', startTime: '2026-01-01T00:00:00Z' });

test('a pod that cannot start is named with its reason, and the logs of the others are read', async () => {
  const printed: string[] = [];
  const client = {
    list: () => Promise.resolve({ items: [STUCK, DONE] }),
    async *logLines(name: string) {
      await Promise.resolve();
      if (name === 'stuck') {
        const message =
          'container "main" in pod "stuck" is waiting to start: trying and failing to pull image';
        throw new ApiError('GET log', 400, { code: 400, reason: 'BadRequest', message });
      }
      yield 'hello';
    },
  };
  await workflowLogs({ metadata: { name: 'w', namespace: 'n' }, spec: {} } as Workflow, {
    // The two calls that are made.
    client: client as unknown as KubeClient,
    follow: false,
    timestamps: false,
    onLine: (from, line) => printed.push(`${from}: ${line}`),
    onWaiting: (from, reason) => printed.push(`${from} waits: ${reason}`),
  });
  assert.deepEqual(printed.toSorted(), [
    'done: hello',
    'stuck waits: ImagePullBackOff: Back-off pulling image "gone"',
  ]);
});

test('why a pod has not begun', () => {
  const unscheduled = [
    { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' },
  ];
  const rows: readonly [status: Pod['status'], expected: string | undefined][] = [
    [{ phase: 'Pending', conditions: unscheduled }, 'Unschedulable: 0/1 nodes'],
    [{ phase: 'Pending' }, 'it has not been started'],
    [{ phase: 'Running' }, undefined],
  ];
  for (const [status, expected] of rows) assert.equal(waitingReason({ status }), expected);
});
