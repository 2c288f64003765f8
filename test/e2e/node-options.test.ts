/** The options of Node that the command gives itself. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';

const BIN = join(import.meta.dirname, '..', '..', 'bin', 'turnsole.js');
/** Tells process and options of each start of Node, before the command's own code. */
const TELL = `data:text/javascript,${encodeURIComponent(
  'console.log(JSON.stringify({ pid: process.pid, options: process.execArgv }))',
)}`;

interface Start {
  readonly pid: number;
  readonly options: readonly string[];
}

/** Starts of Node for one command, which ends at once with a usage error. */
async function startsOf(command: string, nodeOptions = ''): Promise<{ starts: Start[]; code: number }> {
  const child = spawn(process.execPath, [BIN, command, '-no-such-flag'], {
    env: { PATH: process.env.PATH, NODE_OPTIONS: `--import=${TELL} ${nodeOptions}` },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = await once(child, 'close');
  const lines = text.split('\n').filter((line) => line.startsWith('{"pid"'));
  // Written by TELL.
  return { starts: lines.map((line) => JSON.parse(line) as Start), code };
}

for (const [command, ...options] of [
  ['operator', '--max-semi-space-size=4', '--heap-growing-percent=30'],
  ['workflow-controller', '--max-semi-space-size=4', '--heap-growing-percent=30', '--optimize-for-size'],
  [
    'subscriber',
    '--max-semi-space-size=1',
    '--heap-growing-percent=30',
    '--optimize-for-size',
    '--expose-gc',
  ],
] as const) {
  test(`node options: ${command} starts anew with a small heap, as the same process`, async () => {
    const { starts, code } = await startsOf(command);
    assert.equal(code, 2);
    assert.deepEqual(
      starts.map((start) => start.options),
      [[], options],
    );
    assert.equal(starts[0]?.pid, starts[1]?.pid);
  });
}

test('node options: what the user has set stays', async () => {
  const { starts } = await startsOf('operator', '--max_semi_space_size=32');
  assert.deepEqual(starts.at(-1)?.options, ['--heap-growing-percent=30']);
});

test('node options: other commands start once', async () => {
  const { starts } = await startsOf('runner');
  assert.equal(starts.length, 1);
});
