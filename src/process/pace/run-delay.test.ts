import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { findProgram, readOwnStatus } from '@turnsole/kube/base/machine';
import { parseRunDelay, RunDelay } from './run-delay.ts';

for (const [text, ms] of [
  ['47925692 45566726 150\n', 45.566726],
  ['0 0 0\n', 0],
  ['', undefined],
  ['47925692 -1 150\n', undefined],
] as const) {
  test(`the wait in ${JSON.stringify(text)}`, () => assert.equal(parseRunDelay(text), ms));
}

test('the waits of a process and of what it started are added up, also of those that have ended', () => {
  const delays = new Map([
    [10, 5],
    [11, 7],
  ]);
  const children = new Map([
    [10, [11]],
    [11, [12]],
  ]);
  const delay = new RunDelay(10, {
    runDelayMs: (pid) => delays.get(pid),
    children: (pid) => children.get(pid) ?? [],
  });
  assert.equal(delay.totalMs(), 12);
  delays.set(12, 3).set(10, 6);
  assert.equal(delay.totalMs(), 16);
  delays.delete(11);
  assert.equal(delay.totalMs(), 16);
  // The id belongs to another process now, which has waited for 2 ms.
  delays.set(11, 2);
  assert.equal(delay.totalMs(), 18);
});

test('a process that could not be started waits for nothing', () => {
  assert.equal(new RunDelay(undefined).totalMs(), 0);
});

const isCounted = existsSync('/proc/self/schedstat') && findProgram('taskset') !== undefined;
const skip = isCounted ? false : 'the kernel does not count the waits of processes, or taskset is missing';

test('children that share one processor wait for it', { skip }, async () => {
  const { pid, stdout, kill } = spinning();
  const delay = new RunDelay(pid);
  try {
    // Both say that they have had 100 ms of processor time: one of them has waited for about as long.
    for (let said = 0; said < 2; said += String((await once(stdout, 'data'))[0]).length);
    assert.ok(delay.totalMs() > 20, `${delay.totalMs()} ms`);
  } finally {
    kill();
  }
});

/** Two processes below one, bound to one processor, which work until they are killed. */
function spinning(): {
  readonly pid: number | undefined;
  readonly stdout: NodeJS.ReadableStream;
  kill(): void;
} {
  const work =
    'const until = (n) => { while (process.cpuUsage().user < n * 1000); };' +
    'until(process.cpuUsage().user / 1000 + 100); process.stdout.write("."); until(20_000);';
  const [, processor = '0'] = /^Cpus_allowed_list:\s*(\d+)/m.exec(readOwnStatus()) ?? [];
  const script = `'${process.execPath}' -e '${work}' & '${process.execPath}' -e '${work}' & wait`;
  const child = spawn('taskset', ['-c', processor, 'sh', '-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { pid, stdout } = child;
  return { pid, stdout, kill: () => void (pid !== undefined && process.kill(-pid, 'SIGKILL')) };
}
