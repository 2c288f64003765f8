import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { beyond, NO_USAGE, plus, treeUsage, type Usage } from './tree-usage.ts';

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

test('the usage of a process is that of its descendants too', { skip: linux }, async () => {
  const MEBIBYTE = 1024 ** 2;
  const program = [
    'const end = process.cpuUsage().user + 3e5',
    'while (process.cpuUsage().user < end) {}',
    `globalThis.held = Buffer.alloc(60 * ${MEBIBYTE}, 1)`,
    `require("fs").writeFileSync("/dev/null", Buffer.alloc(3 * ${MEBIBYTE}))`,
  ].join('; ');
  await withTree(program, (pid) => {
    const { cpuSeconds, heldBytes, writtenBytes } = treeUsage(pid);
    assert.ok(cpuSeconds >= 0.3, `${cpuSeconds} s`);
    assert.ok(heldBytes >= 60 * MEBIBYTE, `${heldBytes} held`);
    assert.ok(writtenBytes >= 3 * MEBIBYTE && writtenBytes < 10 * MEBIBYTE, `${writtenBytes} written`);
  });
  assert.deepEqual(treeUsage(2 ** 30), NO_USAGE);
});

test('usages are added, and counted from an earlier one', () => {
  const a: Usage = { cpuSeconds: 3, heldBytes: 20, writtenBytes: 100 };
  const b: Usage = { cpuSeconds: 1, heldBytes: 30, writtenBytes: 40 };
  assert.deepEqual(plus(a, b), { cpuSeconds: 4, heldBytes: 50, writtenBytes: 140 });
  assert.deepEqual(beyond(a, b), { cpuSeconds: 2, heldBytes: 0, writtenBytes: 60 });
});
