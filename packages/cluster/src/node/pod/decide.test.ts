import assert from 'node:assert/strict';
import { test } from 'node:test';
import { container, exit, exited, NOW, pod, running } from '../testing/observed.ts';
import { decidePod, type PodAction } from './decide.ts';
import type { ObservedPod, PodDeletion } from './observed.ts';

const start = (name: string): PodAction => ({ type: 'start', container: name });
const stop = (name: string, afterMs: number): PodAction => ({
  type: 'stop',
  container: name,
  deadlineMs: NOW + afterMs,
});
const wake = (afterMs: number): PodAction => ({ type: 'wake', atMs: NOW + afterMs });
const init = { role: 'init' } as const;
const ephemeral = { role: 'ephemeral' } as const;
const sidecar = { role: 'sidecar' } as const;
const deletion: PodDeletion = { deadlineMs: NOW + 30_000, objectGone: false, requested: false };
const backoff = { delayMs: 20_000, updatedAtMs: NOW - 60_000 };
const stopping = (afterMs: number) => running({ stopByMs: NOW + afterMs });

const cases: [name: string, pod: ObservedPod, actions: PodAction[]][] = [
  [
    'a new pod gets a sandbox',
    pod([container('a')], { sandbox: { phase: 'none' } }),
    [{ type: 'make-sandbox' }],
  ],
  ['and waits for it', pod([container('a')], { sandbox: { phase: 'making' } }), []],
  [
    'a sandbox that could not be made is tried again later',
    pod([container('a')], { sandbox: { phase: 'none', retryAtMs: NOW + 500 } }),
    [wake(500)],
  ],
  ['all app containers start together', pod([container('a'), container('b')]), [start('a'), start('b')]],
  ['what runs is left alone', pod([container('a', running())]), []],
  [
    'the first init container starts alone',
    pod([container('i', undefined, init), container('j', undefined, init), container('a')]),
    [start('i')],
  ],
  [
    'the next starts when it has succeeded',
    pod([container('i', exited(0), init), container('j', undefined, init), container('a')]),
    [start('j')],
  ],
  [
    'a failed init container is started again',
    pod([container('i', exited(1), init), container('a')], { spec: { restartPolicy: 'OnFailure' } }),
    [start('i')],
  ],
  [
    'under Never it ends the pod',
    pod([container('s', running(), sidecar), container('i', exited(1), init), container('a')], {
      spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 7 },
    }),
    [stop('s', 7_000)],
  ],
  [
    'a sidecar that is not started yet holds the rest back',
    pod([container('s', running({ started: false }), sidecar), container('a')]),
    [],
  ],
  ['a started sidecar does not', pod([container('s', running(), sidecar), container('a')]), [start('a')]],
  [
    'a sidecar is restarted also while the apps run, and under Never',
    pod([container('s', exited(0), sidecar), container('a', running())], {
      spec: { restartPolicy: 'Never' },
    }),
    [start('s')],
  ],
  [
    'an init container is not run again after the apps were started',
    pod([container('i', { phase: 'idle' }, init), container('a', running())]),
    [],
  ],
  [
    'an ephemeral container is started beside the apps',
    pod([container('a', running()), container('e', undefined, ephemeral)]),
    [start('e')],
  ],
  [
    'and before there are any',
    pod([container('i', running(), init), container('a'), container('e', undefined, ephemeral)]),
    [start('e')],
  ],
  ['it is not started again', pod([container('a', running()), container('e', exited(1), ephemeral)]), []],
  [
    'it does not keep the pod, and is stopped with it',
    pod([container('a', exited(0)), container('e', running(), ephemeral)], {
      spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 7 },
    }),
    [stop('e', 7_000)],
  ],
  ['Always restarts after success', pod([container('a', exited(0))]), [start('a')]],
  [
    'OnFailure does not, and the pod is wound down',
    pod([container('a', exited(0))], { spec: { restartPolicy: 'OnFailure' } }),
    [{ type: 'remove-sandbox' }],
  ],
  [
    'OnFailure restarts after failure',
    pod([container('a', exited(2))], { spec: { restartPolicy: 'OnFailure' } }),
    [start('a')],
  ],
  [
    'a container of a pod that others keep running stays ended',
    pod([container('a', exited(0)), container('b', running())], { spec: { restartPolicy: 'Never' } }),
    [],
  ],
  [
    'a restart waits for its back-off',
    pod([container('a', exited(1, 5), { backoff })]),
    [{ type: 'back-off', container: 'a', delayMs: 20_000 }, wake(15_000)],
  ],
  [
    'or not, when the clock was set back since',
    pod([container('a', exited(1, 3_600_000), { backoff: { delayMs: 20_000, updatedAtMs: 3_600_000 } })]),
    [start('a')],
  ],
  ['and comes when that is over', pod([container('a', exited(1, 20), { backoff })]), [start('a')]],
  [
    'an image that is missing is looked for again later',
    pod([
      container('a', undefined, {
        problem: { kind: 'image', reason: 'ErrImagePull', message: '', atMs: NOW, retryAtMs: NOW + 10_000 },
      }),
    ]),
    [wake(1_000)],
  ],
  [
    'sidecars stop after the apps have ended for good, the last one first',
    pod([container('s', running(), sidecar), container('t', running(), sidecar), container('a', exited(0))], {
      spec: { restartPolicy: 'Never' },
    }),
    [stop('t', 30_000)],
  ],
  [
    'deletion stops all app containers together',
    pod(
      [container('s', running(), sidecar), container('a', running()), container('b', { phase: 'starting' })],
      {
        deletion,
      },
    ),
    [stop('a', 30_000), stop('b', 30_000)],
  ],
  ['and waits', pod([container('a', stopping(30_000))], { deletion }), []],
  [
    'a shorter grace period hurries',
    pod([container('a', stopping(30_000))], { deletion: { ...deletion, deadlineMs: NOW + 1_000 } }),
    [stop('a', 1_000)],
  ],
  ['a longer one does not slow down', pod([container('a', stopping(5_000))], { deletion }), []],
  [
    'sidecars come after, with two seconds at least',
    pod([container('s', running(), sidecar), container('a', exited(137))], {
      deletion: { ...deletion, deadlineMs: NOW - 1 },
    }),
    [stop('s', 2_000)],
  ],
  [
    'nothing is restarted while the pod goes',
    pod([container('a', exited(1))], { deletion }),
    [{ type: 'remove-sandbox' }],
  ],
  [
    'the object goes last',
    pod([container('a', exited(0))], { deletion, sandbox: { phase: 'removed', ip: '127.20.64.1' } }),
    [{ type: 'delete-object' }],
  ],
  [
    'once',
    pod([container('a', exited(0))], {
      deletion: { ...deletion, requested: true },
      sandbox: { phase: 'removed', ip: '127.20.64.1' },
    }),
    [],
  ],
  [
    'a pod that never started goes at once',
    pod([container('a')], { deletion, sandbox: { phase: 'none' } }),
    [{ type: 'delete-object' }],
  ],
  [
    'a removed object leaves the processes to end',
    pod([container('a', running())], {
      deletion: { deadlineMs: NOW + 1_000, objectGone: true, requested: true },
    }),
    [stop('a', 1_000)],
  ],
  [
    'then the pod is forgotten',
    pod([container('a', exited(137))], {
      deletion: { deadlineMs: NOW, objectGone: true, requested: true },
      sandbox: { phase: 'removed', ip: '127.20.64.1' },
    }),
    [{ type: 'forget' }],
  ],
  [
    'the active deadline is waited for',
    pod([container('a', running())], { spec: { activeDeadlineSeconds: 61 } }),
    [wake(1_000)],
  ],
  [
    'and fails the pod',
    pod([container('a', running())], { spec: { activeDeadlineSeconds: 60 } }),
    [
      {
        type: 'fail',
        reason: 'DeadlineExceeded',
        message: 'Pod was active on the node longer than the specified deadline',
      },
    ],
  ],
  [
    'a failed pod stops its containers',
    pod([container('a', running())], {
      failure: { reason: 'DeadlineExceeded', message: '', deadlineMs: NOW + 4_000 },
    }),
    [stop('a', 4_000)],
  ],
  [
    'a finished pod that is not deleted stays',
    pod([container('a', { phase: 'exited', termination: exit(0) })], {
      spec: { restartPolicy: 'Never' },
      sandbox: { phase: 'removed', ip: '127.20.64.1' },
    }),
    [],
  ],
];

for (const [name, observed, expected] of cases) {
  test(name, () => assert.deepEqual(decidePod(observed), expected));
}
