/**
 * The script really runs, in this machine's sh, or in that of BusyBox, as in pods; in place of its tools stands a file that runs the one it
 * is asked for.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { PATIENCE_MS, until } from '@turnsole/kube/testing/until';
import { RUN_SCRIPT } from './script.ts';

const BUSYBOX = ['/bin/busybox', '/usr/bin/busybox'].find((path) => existsSync(path));

class Home {
  readonly path: string;
  readonly #shell: readonly [string, ...string[]];

  constructor(t: TestContext, shell: readonly [string, ...string[]] = ['/bin/sh']) {
    this.#shell = shell;
    this.path = mkdtempSync(join(tmpdir(), 'turnsole-script-'));
    t.after(() => rmSync(this.path, { recursive: true, force: true }));
    mkdirSync(join(this.path, 'bin'));
    writeFileSync(join(this.path, 'bin/busybox'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
    writeFileSync(join(this.path, 'run.sh'), RUN_SCRIPT);
  }

  start(
    name: string,
    options: readonly string[],
    command: readonly string[],
    env = process.env,
  ): ChildProcess {
    // The script makes the folder itself; here it is there before, so that it can be watched.
    mkdirSync(join(this.path, name), { recursive: true });
    const [shell, ...first] = this.#shell;
    const args = [...first, join(this.path, 'run.sh'), this.path, name, ...options, '--', ...command];
    return spawn(shell, args, { env, signal: AbortSignal.timeout(PATIENCE_MS), killSignal: 'SIGKILL' });
  }

  async run(
    name: string,
    options: readonly string[],
    command: readonly string[],
    env = process.env,
  ): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const child = this.start(name, options, command, env);
    return endOf(child);
  }

  read(file: string): string {
    return readFileSync(join(this.path, file), 'utf8');
  }

  has(file: string): boolean {
    return existsSync(join(this.path, file));
  }

  /** Resolves once the file is there. */
  async appearing(file: string): Promise<void> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const watcher = watch(dirname(join(this.path, file)), { signal });
    while (!this.has(file)) await once(watcher, 'change', { signal });
    watcher.close();
  }
}

async function endOf(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { stdout, stderr } = child;
  assert.ok(stdout && stderr);
  const [out, err, [code]] = await Promise.all([text(stdout), text(stderr), once(child, 'close')]);
  return { code, stdout: out, stderr: err };
}

test('exit code, stdout and stderr are those of the command', async (t) => {
  const home = new Home(t);
  const ended = await home.run('main', [], ['sh', '-c', 'echo out; echo err >&2; exit 7']);
  assert.deepEqual(ended, { code: 7, stdout: 'out\n', stderr: 'err\n' });
  assert.equal(home.read('main/exitcode'), '7\n');
  assert.ok(home.has('main/started'));
  assert.ok(!home.has('main/stdout'));
});

test('arguments arrive as they are, and stdin as well', async (t) => {
  const home = new Home(t);
  const child = home.start('main', [], ['sh', '-c', 'printf "[%s]" "$@"; cat', 'x', 'a b', '', '*', '--']);
  child.stdin?.end('in');
  assert.equal((await endOf(child)).stdout, '[a b][][*][--]in');
});

test('stdout is kept apart from stderr, and with the log both together', async (t) => {
  const home = new Home(t);
  const command = ['sh', '-c', 'echo out; echo err >&2; exit 3'];
  assert.deepEqual(await home.run('main', ['--result', '--logs'], command), {
    code: 3,
    stdout: 'out\n',
    stderr: 'err\n',
  });
  assert.equal(home.read('main/stdout'), 'out\n');
  assert.deepEqual(home.read('main/combined').trim().split('\n').toSorted(), ['err', 'out']);
  await home.run('other', ['--result'], command);
  assert.equal(home.read('other/stdout'), 'out\n');
  assert.ok(!home.has('other/combined'));
});

test('much output is kept to its end', async (t) => {
  const home = new Home(t);
  const { stdout } = await home.run('main', ['--result'], ['sh', '-c', 'seq 1 50000']);
  assert.equal(stdout.split('\n').at(-2), '50000');
  assert.equal(home.read('main/stdout'), stdout);
});

test('parameters and artifacts are kept, and what is missing is left out', async (t) => {
  const home = new Home(t);
  const made = join(home.path, 'made here');
  const program = `mkdir -p "${made}/tree/deep"; echo value >"${made}/p"; echo leaf >"${made}/tree/deep/leaf"; exit 1`;
  const options = [
    ...['--parameter', '0', join(made, 'p')],
    ...['--parameter', '1', join(made, 'none')],
    ...['--artifact', '0', `${join(made, 'tree')}/`],
    ...['--artifact', '1', join(made, 'p')],
    ...['--artifact', '2', join(made, 'none')],
  ];
  const ended = await home.run('main', options, ['sh', '-c', program]);
  assert.deepEqual(ended, { code: 1, stdout: '', stderr: '' });
  assert.equal(home.read('main/parameters/0'), 'value\n');
  assert.ok(!home.has('main/parameters/1'));
  assert.ok(!home.has('main/artifacts/2.tar'));
  assert.equal(home.read('main/exitcode'), '1\n');
  const unpacked = join(home.path, 'unpacked');
  mkdirSync(unpacked);
  for (const index of [0, 1])
    execFileSync('tar', ['-xf', join(home.path, `main/artifacts/${index}.tar`), '-C', unpacked]);
  assert.equal(home.read('unpacked/tree/deep/leaf'), 'leaf\n');
  assert.equal(home.read('unpacked/p'), 'value\n');
});

test('files are readable by other users, and the command has its own mask', async (t) => {
  const home = new Home(t);
  const shell = join(home.path, 'masked.sh');
  writeFileSync(shell, `umask 077; exec /bin/sh "$@"`);
  const args = [shell, join(home.path, 'run.sh'), home.path, 'main', '--result', '--', 'sh', '-c', 'umask'];
  const child = spawn('/bin/sh', args, { signal: AbortSignal.timeout(PATIENCE_MS) });
  assert.equal((await endOf(child)).stdout.trim(), '0077');
  const modes = execFileSync('stat', ['-c', '%a', join(home.path, 'main/stdout'), join(home.path, 'main')], {
    encoding: 'utf8',
  });
  assert.equal(modes, '644\n755\n');
});

test('signals are handed on, and the code is what the command makes of them', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    const home = new Home(t);
    const ready = join(home.path, 'ready');
    const program = `trap 'echo caught; exit 9' TERM HUP; : >"${ready}"; while :; do sleep 0.1; done`;
    const child = home.start('main', ['--result'], ['sh', '-c', program]);
    const ended = endOf(child);
    await home.appearing('ready');
    child.kill(signal);
    assert.deepEqual(await ended, { code: 9, stdout: 'caught\n', stderr: '' }, signal);
    assert.equal(home.read('main/exitcode'), '9\n');
    assert.equal(home.read('main/stdout'), 'caught\n');
  }
});

test('a command that a signal ends has the code of the signal', async (t) => {
  const home = new Home(t);
  const { code } = await home.run('main', [], ['sh', '-c', 'kill -KILL $$']);
  assert.equal(code, 137);
  assert.equal(home.read('main/exitcode'), '137\n');
});

test('a command that is not there is the error 64', async (t) => {
  const home = new Home(t);
  const { code, stderr } = await home.run('main', [], ['no-such-command']);
  assert.deepEqual([code, stderr], [64, 'turnsole: the command no-such-command is not in the image\n']);
  assert.equal(home.read('main/exitcode'), '64\n');
  const folder = await home.run('other', [], ['/tmp']);
  assert.equal(folder.code, 64);
});

test('a command is found in the PATH of the container', async (t) => {
  const home = new Home(t);
  mkdirSync(join(home.path, 'own'));
  writeFileSync(join(home.path, 'own/greet'), '#!/bin/sh\necho hello\n', { mode: 0o755 });
  const PATH = `${home.path}/none:${home.path}/own:${process.env['PATH']}`;
  assert.equal((await home.run('main', [], ['greet'], { ...process.env, PATH })).stdout, 'hello\n');
});

test('a container waits for others to end well', async (t) => {
  const home = new Home(t);
  const second = home.run('b', ['--after', 'a'], ['echo', 'second']);
  await home.appearing('b/started');
  assert.ok(!home.has('b/exitcode'));
  await home.run('a', [], ['true']);
  assert.deepEqual(await second, { code: 0, stdout: 'second\n', stderr: '' });
  await home.run('c', [], ['false']);
  const { code, stdout, stderr } = await home.run('d', ['--after', 'a', '--after', 'c'], ['echo', 'no']);
  assert.deepEqual([code, stdout], [64, '']);
  assert.equal(stderr, 'turnsole: container c ended with code 1, and d depends on it\n');
});

test('what another container of the set leaves after the end of this one is kept', async (t) => {
  const home = new Home(t);
  const file = join(home.path, 'shared');
  const main = home.start('main', ['--beside', 'a', '--parameter', '0', file], ['true']);
  const ending = endOf(main);
  await home.appearing('main/started');
  await home.run('a', [], ['sh', '-c', `echo late > ${file}`]);
  assert.equal((await ending).code, 0);
  assert.equal(home.read('main/parameters/0'), 'late\n');
});

test('one that waits ends at a signal', async (t) => {
  const home = new Home(t);
  const child = home.start('b', ['--after', 'a'], ['echo', 'never']);
  const ended = endOf(child);
  await home.appearing('b/started');
  child.kill('SIGTERM');
  assert.equal((await ended).code, 143);
});

const noBusyBox = BUSYBOX === undefined && 'takes busybox';

test('a command that ends in the moment in which a signal comes keeps its exit code', {
  skip: noBusyBox,
}, async (t) => {
  const home = new Home(t, [BUSYBOX ?? '', 'sh']);
  const file = join(home.path, 'main/pid');
  const child = home.start(
    'main',
    [],
    ['sh', '-c', `echo $$ >${file}.new; mv ${file}.new ${file}; read -r line; exit 3`],
  );
  const ended = endOf(child);
  await home.appearing('main/pid');
  const isIn = (state: string, pid: string | number | undefined): boolean =>
    readFileSync(`/proc/${pid}/stat`, 'utf8').includes(`) ${state} `);
  // The shell hears of both when it goes on.
  child.kill('SIGSTOP');
  await until(() => isIn('T', child.pid), 'the shell does not stop');
  child.stdin?.write('\n');
  await until(() => isIn('Z', home.read('main/pid').trim()), 'the command does not end');
  child.kill('SIGTERM');
  child.kill('SIGCONT');
  assert.equal((await ended).code, 3);
});

test('a sidecar is ended after the main containers', async (t) => {
  const home = new Home(t);
  const program = `trap 'exit 5' TERM; : >"${join(home.path, 'ready')}"; while :; do sleep 0.1; done`;
  const sidecar = home.run('side', ['--until', 'a', '--until', 'b'], ['sh', '-c', program]);
  await home.appearing('ready');
  await home.run('a', [], ['true']);
  assert.ok(!home.has('side/exitcode'));
  await home.run('b', [], ['false']);
  assert.equal((await sidecar).code, 5);
});

test('the pipe `alive` ends when the shell is killed', async (t) => {
  const home = new Home(t);
  const child = home.start('main', [], ['cat']);
  await home.appearing('main/started');
  const alive = await open(join(home.path, 'main/alive'));
  const read = alive.read(Buffer.alloc(1));
  child.kill('SIGKILL');
  assert.equal((await read).bytesRead, 0);
  assert.ok(!home.has('main/exitcode'));
  await alive.close();
  child.stdin?.end();
});

test('a command that fails is tried again, as often as it may; what it prints is kept of all tries', async (t) => {
  const home = new Home(t);
  const command = [
    'sh',
    '-c',
    `echo try >> ${home.path}/tries; echo out; [ $(wc -l < ${home.path}/tries) = 3 ]`,
  ];
  const ended = await home.run('main', ['--result', '--retries', '5', '--pause', '0'], command);
  assert.deepEqual([ended.code, home.read('main/stdout')], [0, 'out\nout\nout\n']);
  const failed = await home.run('other', ['--retries', '2', '--pause', '0'], ['sh', '-c', 'echo x; exit 7']);
  assert.deepEqual([failed.code, failed.stdout, home.read('other/exitcode')], [7, 'x\nx\nx\n', '7\n']);
});

test('on a signal to end while it waits for the next try, the script ends', async (t) => {
  const home = new Home(t);
  const child = home.start(
    'main',
    ['--retries', '2', '--pause', '90'],
    // Moved, so that it is whole when it is there.
    ['sh', '-c', `cd ${home.path}/main; echo $$ > try; mv try tried; exit 7`],
  );
  await home.appearing('main/tried');
  // The try itself must not get the signal.
  await until(() => !existsSync(`/proc/${home.read('main/tried').trim()}`), 'the try does not end');
  child.kill('SIGTERM');
  const { code } = await endOf(child);
  assert.equal(code, 7);
});
