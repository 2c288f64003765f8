import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { ContainerLog } from '../logs/container-log.ts';
import type { ContainerExit, PodSandbox, RunningContainer, StopSignal } from '../runtime/types.ts';
import { ContainerRun } from './container-run.ts';

/** A container that ends when it is killed and heeds no signal; it starts when it is let. */
async function heedless(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'turnsole-run-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const exit = Promise.withResolvers<ContainerExit>();
  const started = Promise.withResolvers<RunningContainer>();
  const signals: (StopSignal | 'kill')[] = [];
  const running: RunningContainer = {
    id: 'c',
    pid: 1,
    exited: exit.promise,
    gone: exit.promise.then(() => {}),
    signal: (signal) => signals.push(signal),
    kill: () => {
      signals.push('kill');
      exit.resolve({ exitCode: 137 });
    },
    exec: () => Promise.reject(new Error('nothing is run beside it')),
  };
  const sandbox: PodSandbox = {
    ip: '127.0.0.1',
    directory,
    hasOwnRoot: false,
    rootOf: () => directory,
    pathOf: (_container, path) => join(directory, path),
    start: () => started.promise,
    remove: async () => {},
  };
  const clock = new FakeClock();
  const log = new ContainerLog(join(directory, 'log'), clock);
  const reports: string[] = [];
  const run = new ContainerRun({
    container: { name: 'main' },
    sandbox,
    log,
    clock,
    graceMs: 30_000,
    reports: {
      running: () => reports.push('running'),
      started: () => reports.push('started'),
      ready: () => {},
      exited: ({ exitCode }) => reports.push(`exited ${exitCode}`),
      probeFailed: () => {},
      event: () => {},
    },
  });
  const launch = {
    container: 'main',
    id: 'c',
    command: ['x'],
    env: {},
    workingDirectory: '/',
    output: log,
  };
  return {
    run,
    clock,
    signals,
    reports,
    begin: () => run.start(launch),
    let: () => started.resolve(running),
  };
}

test('one that is to be gone before it has started is killed as soon as there is something to kill', async (t) => {
  const { run, clock, signals, begin, let: start } = await heedless(t);
  const beginning = begin();
  run.stop(clock.now(), 'Stopping');
  await clock.advance(10);
  start();
  await beginning;
  await run.gone;
  assert.deepEqual(signals, ['kill']);
});

test('one that is stopped while it starts gets the signal first, and is killed when its time is over', async (t) => {
  const { run, clock, signals, begin, let: start } = await heedless(t);
  const beginning = begin();
  run.stop(clock.now() + 1_000, 'Stopping');
  start();
  await beginning;
  assert.deepEqual(signals, ['SIGTERM']);
  await clock.advance(1_000);
  await run.gone;
  assert.deepEqual(signals, ['SIGTERM', 'kill']);
});
