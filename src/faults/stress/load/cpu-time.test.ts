import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { loadEffect, treeCpuSeconds } from './cpu-time.ts';

const linux = process.platform === 'linux' ? false : 'processes are found in /proc';

/** A shell with a child, which says a word when it has begun and ends with its input. */
async function withTree(program: string, look: (pid: number) => void): Promise<void> {
  const child = spawn('/bin/sh', [
    '-c',
    `"$0" -e '${program}; console.log("up"); process.stdin.resume()'; true`,
    process.execPath,
  ]);
  try {
    await once(child.stdout, 'data');
    look(child.pid ?? 0);
  } finally {
    const ended = once(child, 'close');
    child.stdin.end();
    await ended;
  }
}

test('the CPU time of a process is that of its descendants too', { skip: linux }, async () => {
  const busy = 'const end = process.cpuUsage().user + 3e5; while (process.cpuUsage().user < end);';
  await withTree(busy, (pid) => assert.ok(treeCpuSeconds(pid) >= 0.3, `${treeCpuSeconds(pid)} s`));
  assert.equal(treeCpuSeconds(2 ** 30), 0);
});

test('a load that has used no CPU time had no effect', () => {
  assert.deepEqual(loadEffect(1.234), {
    seen: true,
    message: 'the load is in force, and has used 1.23 s of CPU time',
  });
  assert.equal(loadEffect(0).seen, false);
});
