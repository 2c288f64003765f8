/** How a container begins: its shell joins cgroups while its file system is made. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { until } from '@turnsole/kube/testing/until';
import { initScript, READY } from './scripts.ts';

const skip = process.platform === 'linux' && process.getuid?.() === 0 ? false : 'mounting is a right of root';

test('a container joins its cgroups also when its root changes before it has joined the last one', {
  skip,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-init-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [root, fstab, slow, file] = ['root', 'fstab', 'slow', 'file'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  await mkdir(root);
  // The container's root has an empty folder in place of the one with the files to join.
  writeFileSync(fstab, `/ ${root} none rbind 0 0\ntmpfs ${root}${folder} tmpfs defaults 0 0\n`);
  writeFileSync(file, '');
  execFileSync('mkfifo', [slow]);
  // The shell blocks when it writes into the full pipe, as it does when the kernel is slow to move it into a cgroup.
  const pipe = openSync(slow, constants.O_RDWR | constants.O_NONBLOCK);
  t.after(() => closeSync(pipe));
  fill(pipe);
  const script = initScript({
    command: ['true'],
    workingDirectory: '/',
    prefix: [],
    oddVariables: {},
    fstab,
    root,
    lowerDirectory: folder,
    oldRoot: 'mnt',
    joinFiles: [slow, file],
  });
  const shell = spawn('unshare', ['-m', '/bin/sh', '-c', script], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  t.after(() => shell.kill('SIGKILL'));
  const status = text(shell.stdio[3] as NodeJS.ReadableStream & AsyncIterable<Buffer>);
  await until(() => !existsSync(`/proc/${shell.pid}/root${file}`), 'the shell did not get the new root');
  readSync(pipe, Buffer.alloc(1 << 20));
  assert.equal(await status, `${READY}\n`);
  assert.equal(readFileSync(file, 'utf8'), '0\n');
});

function fill(pipe: number): void {
  try {
    for (;;) writeSync(pipe, Buffer.alloc(4096));
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
  }
}
