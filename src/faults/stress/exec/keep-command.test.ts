import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import { keepCommands } from './keep-command.ts';
import { STARTED } from './scripts.ts';

test('a command that floods its output has started, though the mark of it is far from the end', async () => {
  const over = new AbortController();
  const exited = Promise.withResolvers<number>();
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const execStream: KubeClient['execStream'] = async () => {
    stdout.write(`${STARTED}\n${'y\n'.repeat(10_000)}`);
    return { stdin, stdout, stderr, canEndStdin: true, exited: exited.promise, kill: () => {} };
  };
  const target = { kind: 'pod', namespace: 'shop', name: 'web', uid: 'u', container: 'app' };
  const parameters = { command: 'yes', workers: 1, killCommand: '', containerId: 'c', seconds: 60 };
  // It would not settle: a command whose start is not seen is waited for to its end.
  await keepCommands(
    { id: 'flood', target, parameters },
    {
      // Needed for nothing else as long as the command runs.
      client: { execStream } as unknown as KubeClient,
      clock: systemClock,
      random: Math.random,
      signal: over.signal,
      recoveryTimeoutMs: 0,
      note: assert.fail,
    },
    'pod-cpu-hog',
  );
  over.abort();
  exited.resolve(0);
});
