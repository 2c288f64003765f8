import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { OutputLimitError, runShell } from './shell.ts';

function run(command: string, env = process.env): ReturnType<typeof runShell> {
  return runShell(command, { env, signal: new AbortController().signal });
}

test('output, errors and exit code come back apart', async () => {
  assert.deepEqual(await run('echo out; echo err >&2'), {
    exitCode: 0,
    killedBy: undefined,
    stdout: 'out\n',
    stderr: 'err\n',
  });
  assert.equal((await run('exit 7')).exitCode, 7);
  assert.equal((await run('no-such-command-anywhere')).exitCode, 127);
  assert.equal((await run('kill -9 $$')).killedBy, 'SIGKILL');
  assert.equal((await run('printf "é%s" "$GREETING"', { ...process.env, GREETING: '✓' })).stdout, 'é✓');
  // A command that reads its input sees the end of it instead of waiting.
  assert.equal((await run('cat')).stdout, '');
});

test('a missing shell is an error that says so', async () => {
  const options = { env: process.env, signal: new AbortController().signal, shell: '/nonexistent/sh' };
  await assert.rejects(runShell('echo', options), {
    name: 'ShellStartError',
    message: /^cannot start \/nonexistent\/sh, which every command of a probe needs: .*ENOENT/,
  });
});

test('output of processes the shell leaves behind is waited for', async () => {
  assert.equal(
    (await run('(read line < /dev/null; echo late) & echo early')).stdout.length,
    'early\nlate\n'.length,
  );
});

/** A named pipe: its end proves that no process holds it open any more. */
async function withPipe(work: (pipe: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-shell-'));
  try {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await work(pipe);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('an abort kills the whole process group', () =>
  withPipe(async (pipe) => {
    const controller = new AbortController();
    const command = `(echo ready; sleep 1000; true) > ${pipe} & sleep 1000; true`;
    const running = runShell(command, { env: process.env, signal: controller.signal });
    const held = createReadStream(pipe);
    await once(held, 'data');
    const ended = once(held, 'end');
    held.resume();
    controller.abort(new Error('time is up'));
    await assert.rejects(running, /time is up/);
    await ended;
  }));

test('an abort does not wait for a process that left the group', () =>
  withPipe(async (pipe) => {
    const controller = new AbortController();
    const leave = `require('node:child_process').spawn('/bin/sh', ['-c', 'echo $$ > ${pipe}; exec sleep 1000'], {
      detached: true, stdio: 'inherit' }).unref()`;
    const env = { ...process.env, LEAVE: leave };
    const command = `'${process.execPath}' -e "$LEAVE"; sleep 1000`;
    const running = runShell(command, { env, signal: controller.signal });
    const pid = Number(await readFile(pipe, 'utf8'));
    try {
      controller.abort(new Error('time is up'));
      await assert.rejects(running, /time is up/);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  }));

test('nothing is started after an abort', async () => {
  await assert.rejects(
    runShell('true', { env: {}, signal: AbortSignal.abort(new Error('too late')) }),
    /too late/,
  );
});

test('a command that never stops writing is ended', async () => {
  await assert.rejects(run('yes'), OutputLimitError);
});

test('commands side by side share one listener for the exit of the process, and leave none', async () => {
  const before = process.listenerCount('exit');
  const running = Array.from({ length: 12 }, () => run('true'));
  assert.equal(process.listenerCount('exit'), before + 1);
  await Promise.all(running);
  assert.equal(process.listenerCount('exit'), before);
});

test('a command does not outlive the process that ran it', () =>
  withPipe(async (pipe) => {
    const program = `
      import { runShell } from ${JSON.stringify(import.meta.resolve('./shell.ts'))};
      process.stdin.once('data', () => process.exit(0));
      await runShell('exec > ${pipe}; echo ready; sleep 1000; true', {
        env: process.env, signal: new AbortController().signal });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const held = createReadStream(pipe);
    await once(held, 'data');
    const ended = once(held, 'end');
    held.resume();
    child.stdin.end('exit');
    await ended;
  }));
