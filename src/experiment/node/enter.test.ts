import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readlinkSync, rmdirSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { until } from '@turnsole/kube/testing/until';
import { cgroupFoldersOf } from './cgroup-folders.ts';
import { parseStat } from './container-locator.ts';
import { enterCapabilities, enterCommand, runInside, startInside, unopened } from './enter.ts';

function isRemoved(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
    return false;
  }
}

const plan = { joinFiles: [], viaHostCgroups: false, canDieWithParent: true } as const;
const MORTAL = ['setpriv', '--pdeathsig', 'KILL'];

test('the words to spawn', () => {
  assert.deepEqual(enterCommand({ ...plan, options: { namespaces: ['net'] }, command: ['tc'] }), [
    ...MORTAL,
    ...['nsenter', '--net=/proc/self/fd/3', '--', 'tc'],
  ]);
  const load = { namespaces: ['pid', 'net'], joinCgroups: true, oomScoreAdj: 1000 } as const;
  const joinFiles = ['/a/cgroup.procs', '/b c/cgroup.procs'];
  assert.deepEqual(
    enterCommand({ ...plan, options: load, command: ['load', '$x'], joinFiles, viaHostCgroups: true }),
    [
      ...MORTAL,
      ...['nsenter', '--cgroup=/proc/1/ns/cgroup', '--', '/bin/sh', '-c'],
      [
        'echo 1000 > /proc/self/oom_score_adj || exit 126',
        'echo 0 > "$1" || exit 126',
        'echo 0 > "$2" || exit 126',
        'shift 2',
        'exec "$@"',
      ].join('\n'),
      ...['sh', ...joinFiles],
      ...['nsenter', '--pid=/proc/self/fd/3', '--net=/proc/self/fd/4', '--'],
      ...MORTAL,
      ...['load', '$x'],
    ],
  );
  const files = { namespaces: ['mnt', 'pid'] } as const;
  assert.deepEqual(enterCommand({ ...plan, options: files, command: ['ls'], canDieWithParent: false }), [
    ...['nsenter', '--mount=/proc/self/fd/3', '--pid=/proc/self/fd/4', '--', 'ls'],
  ]);
});

test('what entering needs', () => {
  assert.deepEqual(enterCapabilities({ namespaces: [] }), []);
  assert.deepEqual(enterCapabilities({ namespaces: ['net'] }), ['SYS_ADMIN', 'SYS_PTRACE']);
  assert.deepEqual(enterCapabilities({ namespaces: ['mnt'] }), ['SYS_ADMIN', 'SYS_PTRACE', 'SYS_CHROOT']);
});

test('a namespace that cannot be opened: the error says whether the process has ended or is protected', () => {
  const table = [
    ['ENOENT', 'ContainerRuntimeError', /process 7 of the target has ended/],
    ['ESRCH', 'ContainerRuntimeError', /process 7 of the target has ended/],
    ['EACCES', 'NodeError', /cannot enter process 7 of this node: .* \(EACCES\)/],
    ['EPERM', 'NodeError', /cannot enter process 7 of this node: .* \(EPERM\)/],
  ] as const;
  for (const [code, name, message] of table) {
    const error = unopened({ pid: 7 }, Object.assign(new Error(code), { code }));
    assert.equal(error.name, name, code);
    assert.match(error.message, message, code);
  }
});

const skip = process.getuid?.() === 0 ? false : 'entering namespaces takes root';

describe('with real namespaces', { skip }, () => {
  let target: ChildProcess;
  let first: { pid: number; startTicks: number };

  const located = (pid: number) => ({
    pid,
    startTicks: parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.startTicks ?? 0,
  });

  before(async () => {
    const script = 'echo hello-from-target > /proc/sys/kernel/hostname; echo ready; exec cat';
    target = spawn('unshare', ['-n', '-u', '-p', '-f', '--kill-child', '/bin/sh', '-c', script]);
    assert.ok(target.stdout);
    await once(target.stdout, 'data');
    const children = readFileSync(`/proc/${target.pid}/task/${target.pid}/children`, 'utf8');
    first = located(Number(children.trim()));
  });
  after(() => target.kill('SIGKILL'));

  test('a command sees the namespaces it asks for, and no others', async () => {
    const inside = await runInside(first, { namespaces: ['net', 'uts'] }, [
      'cat',
      '/proc/self/net/dev',
      '/proc/sys/kernel/hostname',
    ]);
    assert.match(inside.stdout, /hello-from-target$/m);
    assert.equal(inside.stdout.split('\n').filter((line) => line.includes(':')).length, 1, 'only lo');
    const { stdout } = await runInside(first, { namespaces: ['net'] }, ['readlink', '/proc/self/ns/uts']);
    assert.equal(stdout.trim(), readlinkSync('/proc/self/ns/uts'));
  });

  test('a failing command is an error with its last words', async () => {
    await assert.rejects(
      runInside(first, { namespaces: ['net'] }, ['ls', '/does/not/exist']),
      /ls \/does\/not\/exist ended with exit code 2: .*No such file/,
    );
    const accepted = await runInside(first, { namespaces: ['net'], accept: [2] }, ['ls', '/does/not/exist']);
    assert.equal(accepted.exitCode, 2);
  });

  test('a program goes on inside until it is killed', async () => {
    const inside = await startInside(first, { namespaces: ['pid', 'net'] }, [
      'sh',
      '-c',
      'echo $$; exec cat',
    ]);
    assert.ok(inside.child.stdout);
    const [chunk] = await once(inside.child.stdout, 'data');
    assert.notEqual(
      Number(String(chunk)),
      inside.child.pid,
      'its number in the process namespace of the target',
    );
    inside.kill();
    await once(inside.child, 'close');
  });

  test('runInside does not enter a process that has replaced the located one', async () => {
    const other = { ...first, startTicks: first.startTicks + 1 };
    await assert.rejects(
      runInside(other, { namespaces: ['net'] }, ['true']),
      /has ended, as its container was/,
    );
    await assert.rejects(
      runInside({ pid: 2 ** 22, startTicks: 1 }, { namespaces: ['net'] }, ['true']),
      /process 4194304 of the target has ended/,
    );
  });

  test('joining cgroups counts the command as the target’s', async (t) => {
    const folders = await cgroupFoldersOf(process.pid);
    const parent = folders.byController.get('pids') ?? folders.byController.get('memory') ?? '';
    const own = `${parent}/turnsole-enter-${process.pid}`;
    try {
      mkdirSync(own);
      writeFileSync(`${own}/cgroup.procs`, String(first.pid));
    } catch (error) {
      return t.skip(`no cgroup can be made here: ${String(error)}`);
    }
    const options = { namespaces: [], joinCgroups: true, oomScoreAdj: 500 } as const;
    const { stdout } = await runInside(first, options, [
      'cat',
      '/proc/self/cgroup',
      '/proc/self/oom_score_adj',
    ]);
    assert.match(stdout, new RegExp(`/turnsole-enter-${process.pid}$`, 'm'));
    assert.match(stdout, /^500$/m);
    target.kill('SIGKILL');
    await once(target, 'close');
    // A process leaves its cgroup a moment after its parent has learned of its end.
    await until(() => isRemoved(own), `${own} cannot be removed`);
  });
});
