/** Commands leave nothing defunct to a container whose process 1 reaps no child of another process. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { on, once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { findTool } from '../../../experiment/node/tools.ts';
import { reapWords, STARTED, startWords } from './scripts.ts';

const isPossible =
  process.platform === 'linux' && process.getuid?.() === 0 && findTool('unshare') && findTool('nsenter');
/** What is not ended keeps the connection, and the test with it. */
const LIMIT_MS = 60_000;
const skip = isPossible ? false : 'namespaces take root on Linux';

/** Name, shell text, and what it says on standard output when all of it runs, where that is more than its start. */
const COMMANDS: readonly (readonly [name: string, command: string, ready?: string])[] = [
  ['one program', 'sleep 1000'],
  ['a shell that waits for it', 'sleep 1000; true'],
  ['a tree of them', '/bin/sh -c "sleep 1000; true" & sleep 1000 & wait'],
  // As fio: looks after its jobs from time to time, and ends when they have.
  [
    'a program with jobs, none of them in its group',
    `exec ${process.execPath} -e 'const { spawn } = require("node:child_process"); for (const n of [1, 2]) spawn("sleep", ["1000"], { detached: true })'`,
  ],
  [
    'a child that has emptied its environment, by which it would be found',
    'env -i /bin/sh -c "echo emptied; exec sleep 1000"; true',
    'emptied',
  ],
];

/** A process namespace with its own /proc, whose first process, Node, reaps no orphans. */
async function startContainer(): Promise<{ readonly keeper: ChildProcess; readonly pid: number }> {
  const script = 'console.log("up"); setInterval(() => {}, 1e6)';
  const words = [
    '--pid',
    '--fork',
    '--mount-proc',
    '--kill-child=KILL',
    '--',
    process.execPath,
    '-e',
    script,
  ];
  const keeper = spawn('unshare', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  assert.ok(keeper.stdout !== null && keeper.pid !== undefined);
  await once(keeper.stdout, 'data');
  return { keeper, pid: childrenOf(keeper.pid)[0] ?? 0 };
}

/** Children of a process, also those that have ended and were not reaped. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
}

/** Resolves when a text has come from a stream. */
async function saidBy(stream: Readable, text: string): Promise<void> {
  let said = '';
  for await (const [chunk] of on(stream, 'data', { close: ['end'] })) {
    said += String(chunk);
    if (said.includes(text)) return;
  }
  assert.fail(`it ended without ${text}, and said: ${said}`);
}

/** How a container runtime runs a command in a container: the parent, which reaps it, is outside. */
function inside(pid: number, words: readonly string[]): string[] {
  return ['-t', String(pid), '-p', '-m', '--', ...words];
}

describe('what commands leave to their container', { skip, concurrency: 1 }, () => {
  for (const [name, command, ready = STARTED] of COMMANDS) {
    test(name, { timeout: LIMIT_MS }, async ({ signal }) => {
      const { keeper, pid } = await startContainer();
      try {
        const shell = spawn('nsenter', inside(pid, startWords('reaped', command)), {
          stdio: ['ignore', 'pipe', 'ignore'],
        });
        await saidBy(shell.stdout, ready);
        const closed = once(shell, 'close', { signal });
        const { status, stderr } = spawnSync('nsenter', inside(pid, reapWords('reaped')), {
          encoding: 'utf8',
        });
        assert.deepEqual([status, stderr], [0, '']);
        await closed;
        assert.deepEqual(childrenOf(pid), [], 'children of process 1');
      } finally {
        const ended = once(keeper, 'exit');
        keeper.kill('SIGKILL');
        await ended;
      }
    });
  }
});
