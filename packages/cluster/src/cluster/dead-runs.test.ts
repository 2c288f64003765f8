import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { readOrEmpty } from '@turnsole/kube/base/machine';
import { until } from '@turnsole/kube/testing/until';
import { removeDeadRuns } from './dead-runs.ts';
import { OWNER_FILE, ownerLine } from './run-owner.ts';

const skip = process.platform === 'linux' ? false : 'needs /proc';

function place(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turnsole-dead-runs-')));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What a process that has ended wrote. */
function deadLine(): string {
  const program = `import { ownerLine } from ${JSON.stringify(new URL('./run-owner.ts', import.meta.url).href)};
    process.stdout.write(ownerLine());`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }).stdout;
}

test('folders of clusters whose process has ended are removed with their processes, and no others', {
  skip,
}, async (t) => {
  const folder = place(t);
  const dead = deadLine();
  const [boot = '', namespace = '', pid = '', ticks = ''] = dead.trim().split(' ');
  const lines: Readonly<Record<string, string | undefined>> = {
    'turnsole-Dead01': dead,
    'turnsole-Dead02': dead,
    'turnsole-Alive1': ownerLine(),
    'turnsole-Reboot': `00000000-0000-4000-8000-000000000000 ${namespace} ${pid} ${ticks}\n`,
    'turnsole-Inside': `${boot} 1 ${pid} ${ticks}\n`,
    'turnsole-Nobody': undefined,
    'turnsole-Broken': dead.slice(0, -1),
    'turnsole-Foreig': dead,
    'turnsole-server-Dead03': dead,
    'backup-Dead04': dead,
  };
  for (const [name, line] of Object.entries(lines)) {
    mkdirSync(join(folder, name, 'pods'), { recursive: true });
    if (line !== undefined) writeFileSync(join(folder, name, OWNER_FILE), line);
  }
  symlinkSync(join(folder, 'backup-Dead04'), join(folder, 'turnsole-Linked'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(join(folder, 'turnsole-Foreig'), 65_534, 65_534);
  else rmSync(join(folder, 'turnsole-Foreig'), { recursive: true });
  const podOf = (name: string): ChildProcess => {
    const env = { PATH: process.env.PATH, TURNSOLE_POD_ROOT: join(folder, name, 'pods/uid/root') };
    const child = spawn('sleep', ['1000'], { env, stdio: 'ignore' });
    t.after(() => child.kill('SIGKILL'));
    return child;
  };
  const [stray, living] = [podOf('turnsole-Dead01'), podOf('turnsole-Alive1')];
  await Promise.all([once(stray, 'spawn'), once(living, 'spawn')]);
  const ended = once(stray, 'exit');
  await removeDeadRuns(folder);
  assert.deepEqual(await ended, [null, 'SIGKILL']);
  assert.equal(living.exitCode ?? living.signalCode, null);
  const left = Object.keys(lines).filter((name) => !name.startsWith('turnsole-Dead'));
  assert.deepEqual(
    readdirSync(folder).sort(),
    [...left, 'turnsole-Linked'].filter((name) => isRoot || name !== 'turnsole-Foreig').sort(),
  );
  assert.ok(existsSync(join(folder, 'backup-Dead04', OWNER_FILE)), 'a link is not followed');
});

test('where there is nothing nothing is done', () => removeDeadRuns('/does/not/exist'));

/** A program that runs a cluster, says where it is, and closes it when its input ends. */
const CLUSTER = `
  import { startEmbeddedCluster } from ${JSON.stringify(new URL('./start.ts', import.meta.url).href)};
  const cluster = await startEmbeddedCluster({ isolation: 'none' });
  console.log(cluster.dataDir);
  for await (const chunk of process.stdin);
  await cluster.close({ graceMs: 0 });
`;

async function startCluster(
  t: TestContext,
  temporary: string,
): Promise<{ process: ChildProcess; folder: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', CLUSTER], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: temporary },
  });
  t.after(() => child.kill('SIGKILL'));
  for await (const folder of createInterface({ input: child.stdout })) return { process: child, folder };
  throw new Error('the cluster did not start');
}

/** Kills a cluster with its reaper, the reaper first and stopped before, so that it cannot work. */
async function killWhole({
  process: child,
  folder,
}: {
  process: ChildProcess;
  folder: string;
}): Promise<void> {
  const isReaper = (pid: string): boolean => {
    const line = readOrEmpty(`/proc/${pid}/cmdline`);
    return line.includes('turnsole-reaper') && line.includes(folder);
  };
  const reapers = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isReaper(name));
  assert.equal(reapers.length, 1);
  for (const pid of reapers) process.kill(Number(pid), 'SIGSTOP');
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  for (const pid of reapers) process.kill(Number(pid), 'SIGKILL');
}

test('what a cluster left that was killed with its reaper is removed by the next start, beside one that lives', {
  skip,
}, async (t) => {
  const temporary = place(t);
  const [killed, living] = await Promise.all([startCluster(t, temporary), startCluster(t, temporary)]);
  await killWhole(killed);
  assert.ok(existsSync(join(killed.folder, 'ca.key')));
  const next = await startCluster(t, temporary);
  await until(() => !existsSync(killed.folder), 'what the killed cluster left is still there');
  assert.ok(existsSync(join(living.folder, 'ca.key')));
  const ends = [living, next].map(async ({ process: child }) => {
    const exit = once(child, 'exit');
    child.stdin?.end();
    assert.deepEqual(await exit, [0, null]);
  });
  await Promise.all(ends);
  assert.deepEqual(readdirSync(temporary), []);
});
