import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerStatus, Pod } from '@turnsole/kube/kinds/core';
import { inheritContainers } from './inherit.ts';

const NOW = Date.parse('2026-01-01T00:01:00Z');
const startedAt = '2026-01-01T00:00:00Z';

function podOf(restartPolicy: string, app: Partial<ContainerStatus>, init?: Partial<ContainerStatus>): Pod {
  const base = { image: 'i', imageID: 'i@1', ready: false, restartCount: 0 };
  return {
    metadata: { name: 'p' },
    spec: {
      restartPolicy,
      ...(init === undefined ? {} : { initContainers: [{ name: 'init' }] }),
      containers: [{ name: 'app' }],
    },
    status: {
      ...(init === undefined ? {} : { initContainerStatuses: [{ ...base, ...init, name: 'init' }] }),
      containerStatuses: [{ ...base, ...app, name: 'app' }],
    },
  };
}

const running = { containerID: 'turnsole://abc', restartCount: 2, state: { running: { startedAt } } };
const ended = (exitCode: number): Partial<ContainerStatus> => ({
  containerID: 'turnsole://abc',
  state: { terminated: { exitCode, reason: 'Done', startedAt, finishedAt: startedAt } },
});

test('a new agent takes over the restarts and the last state of a pod', () => {
  const table: readonly (readonly [string, Pod, object])[] = [
    [
      'a pod that never ran begins',
      podOf('Always', { state: { waiting: { reason: 'ContainerCreating' } } }),
      [{ container: { role: 'app', state: { phase: 'idle' }, restarts: 0 }, attempts: 0 }],
    ],
    [
      'what ran is started again, and that counts',
      podOf('Always', running),
      [
        {
          container: {
            state: { phase: 'idle' },
            restarts: 2,
            last: { id: 'abc', exitCode: 255, reason: 'Unknown', finishedAtMs: NOW },
          },
          attempts: 3,
        },
      ],
    ],
    [
      'what ran and is never restarted has failed',
      podOf('Never', running),
      [{ container: { state: { phase: 'exited', termination: { exitCode: 255 } } } }],
    ],
    [
      'what ended well stays ended',
      podOf('OnFailure', ended(0)),
      [{ container: { state: { phase: 'exited', termination: { exitCode: 0, reason: 'Done' } } } }],
    ],
    [
      'what ended badly is tried again',
      podOf('OnFailure', ended(3)),
      [{ container: { state: { phase: 'idle' }, last: { exitCode: 3 } }, attempts: 1 }],
    ],
    [
      'init containers run again before the others',
      podOf('Always', running, ended(0)),
      [{ container: { role: 'init', state: { phase: 'idle' } } }, { container: { role: 'app' } }],
    ],
  ];
  for (const [name, pod, expected] of table) {
    assert.partialDeepStrictEqual(inheritContainers(pod, NOW), expected, name);
  }
});
