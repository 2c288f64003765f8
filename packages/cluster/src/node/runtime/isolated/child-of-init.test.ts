/** A program that is the child of its container's process 1: its exit code, its signals, its input. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { initScript } from './scripts.ts';

const skip = process.platform === 'linux' && process.getuid?.() === 0 ? false : 'mounting is a right of root';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnsole-child-'));
  await mkdir(join(folder, 'root'));
  writeFileSync(join(folder, 'fstab'), `/ ${join(folder, 'root')} none rbind 0 0\n`);
});
after(() => rm(folder, { recursive: true, force: true }));

function run(script: string, input = '', prefix: readonly string[] = []) {
  const init = initScript({
    ...{ command: ['/bin/sh', '-c', script], workingDirectory: '/', prefix, oddVariables: {} },
    ...{ fstab: join(folder, 'fstab'), root: join(folder, 'root'), oldRoot: 'mnt', lowerDirectory: folder },
    ...{ joinFiles: [join(folder, 'joined')], isChildOfInit: true },
  });
  const ended = spawnSync('unshare', ['-m', '-p', '/bin/sh', '-c', init], {
    ...{ input, stdio: ['pipe', 'pipe', 'pipe', 'pipe'], encoding: 'utf8', timeout: 60_000 },
  });
  return { code: ended.status, said: ended.stdout.trim(), failed: ended.stderr };
}

const ROWS: readonly (readonly [name: string, script: string, code: number])[] = [
  ['exits by itself', 'exit 7', 7],
  ['succeeds', 'true', 0],
  ['ends itself by SIGTERM', 'kill $$', 143],
  ['interrupts itself', 'kill -s INT $$', 130],
  ['quits', 'kill -s QUIT $$', 131],
  ['aborts', 'exec node -e "process.abort()"', 134],
  ['breaks', 'kill -s SEGV $$', 139],
  ['writes into a pipe that nothing reads', 'kill -s PIPE $$', 141],
  ['ends itself by process 1', 'kill 1; sleep 60', 143],
  ['handles what process 1 hands on', "trap 'exit 9' TERM; kill 1; while :; do sleep 0.1; done", 9],
];

for (const [name, script, code] of ROWS) {
  test(`a step whose program ${name} ends with ${code}`, { skip }, () => {
    const ended = run(script);
    assert.equal(ended.code, code, ended.failed);
  });
}

test('input and the identity of the program are its own, and it is not process 1', {
  skip,
}, () => {
  const nobody = ['setpriv', '--reuid=65534', '--clear-groups'];
  const { said, failed } = run(
    'cat; id -u; [ $$ = 1 ] || echo child; kill -0 1 && echo may',
    'typed\n',
    nobody,
  );
  assert.deepEqual(said.split('\n'), ['typed', '65534', 'child', 'may'], failed);
});
