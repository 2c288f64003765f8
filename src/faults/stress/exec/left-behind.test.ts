/** Commands leave nothing defunct to a container whose process 1 reaps no child of another process. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { childrenOf } from '@turnsole/kube/base/machine';
import { until } from '@turnsole/kube/testing/until';
import { BareContainer, bareContainerMissing as skip } from '../testing/bare-container.ts';
import { reapWords, startWords } from './scripts.ts';

/** What is not ended keeps the connection, and the test with it. */
const LIMIT_MS = 60_000;

/** Name, shell text, and how many sleep when all of it runs: what still begins others may leave those behind. */
const COMMANDS: readonly (readonly [name: string, command: string, sleeping: number])[] = [
  ['one program', 'sleep 1000', 1],
  ['a shell that waits for it', 'sleep 1000; true', 1],
  ['a tree of them', '/bin/sh -c "sleep 1000; true" & sleep 1000 & wait', 2],
  // As fio: looks after its jobs from time to time, and ends when they have.
  [
    'a program with jobs, none of them in its group',
    `exec ${process.execPath} -e 'const { spawn } = require("node:child_process"); for (const n of [1, 2]) spawn("sleep", ["1000"], { detached: true })'`,
    2,
  ],
  [
    'a child that has emptied its environment, by which it would be found',
    'env -i /bin/sh -c "exec sleep 1000"; true',
    1,
  ],
];

/** How many processes below one have begun to sleep. */
function sleepingBelow(pid: number): number {
  const isSleep = readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n' ? 1 : 0;
  return childrenOf(pid).reduce((sum, child) => sum + sleepingBelow(child), isSleep);
}

/** How a container runtime runs a command in a container: the parent, which reaps it, is outside. */
function inside(pid: number, words: readonly string[]): string[] {
  return ['-t', String(pid), '-p', '-m', '--', ...words];
}

describe('what commands leave to their container', { skip, concurrency: 1 }, () => {
  for (const [name, command, sleeping] of COMMANDS) {
    test(name, { timeout: LIMIT_MS }, async ({ signal }) => {
      await using container = await BareContainer.start();
      const { pid } = container.first;
      const shell = spawn('nsenter', inside(pid, startWords('reaped', command)), {
        stdio: 'ignore',
      });
      const { pid: started } = shell;
      assert.ok(started !== undefined);
      await until(() => sleepingBelow(started) === sleeping, `${sleeping} do not sleep`);
      const closed = once(shell, 'close', { signal });
      const { status, stderr } = spawnSync('nsenter', inside(pid, reapWords('reaped')), {
        encoding: 'utf8',
      });
      assert.deepEqual([status, stderr], [0, '']);
      await closed;
      assert.deepEqual(container.children(), [], 'children of process 1');
    });
  }
});
