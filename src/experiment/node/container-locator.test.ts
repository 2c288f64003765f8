import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { firstProcess, isCgroupOf, isSameProcess, locateContainer, parseStat } from './container-locator.ts';
import { takeSnapshot } from './process-snapshot.ts';

const ID = '4f0c2a9d8b7e6f5a4c3b2a1908f7e6d5c4b3a29180f7e6d5c4b3a29180f7e6d5';

test('a cgroup line belongs to a container under every runtime, driver and version', async (t) => {
  const cases: [string, string, boolean][] = [
    ['containerd, systemd, v2', `0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-${ID}.scope`, true],
    ['containerd, cgroupfs, v1', `4:memory:/kubepods/burstable/pod1/${ID}`, true],
    [
      'containerd, cgroupfs names with systemd paths',
      `0::/system.slice/kubepods-pod1.slice:cri-containerd:${ID}`,
      true,
    ],
    ['CRI-O, systemd', `0::/kubepods.slice/kubepods-pod1.slice/crio-${ID}.scope`, true],
    ['CRI-O, cgroupfs', `0::/kubepods/besteffort/pod1/crio-${ID}`, true],
    ['CRI-O, cgroupfs, v1', `7:cpu,cpuacct:/kubepods/burstable/pod1/crio-${ID}`, true],
    ['CRI-O, its container below the scope', `0::/kubepods.slice/crio-${ID}.scope/container`, true],
    ['docker, systemd, v1', `11:memory:/system.slice/docker-${ID}.scope`, true],
    ['docker through cri-dockerd, cgroupfs', `4:memory:/kubepods/besteffort/pod1/${ID}`, true],
    ['containerd, systemd, hybrid', `0::/kubepods.slice/cri-containerd-${ID}.scope`, true],
    ['a node that is a container', `4:memory:/docker/abc/kubelet/kubepods/pod1/${ID}`, true],
    ['isolated pods of the embedded cluster', `4:memory:/turnsole-x/kubepods/besteffort/podu1/${ID}`, true],
    ["CRI-O's monitor", `0::/kubepods.slice/kubepods-pod1.slice/crio-conmon-${ID}.scope`, false],
    ['docker, systemd', `0::/kubepods.slice/kubepods-pod1.slice/docker-${ID}.scope`, true],
    ['docker, cgroupfs', `9:name=systemd:/docker/${ID}`, true],
    ['seen from a cgroup namespace', `0::/../cri-containerd-${ID}.scope`, true],
    ['a cgroup made inside of the container', `0::/kubepods.slice/cri-containerd-${ID}.scope/init`, true],
    ['another container', `0::/kubepods.slice/cri-containerd-${ID.replace('4', '5')}.scope`, false],
    ['an id that only begins the same', `0::/kubepods/pod1/${ID}aa`, false],
    ['the root', '0::/', false],
    ['an empty line', '', false],
  ];
  for (const [name, line, expected] of cases) {
    await t.test(name, () => assert.equal(isCgroupOf(line, ID), expected));
  }
});

test('stat is read behind the command, which may hold anything', () => {
  const rest = `S 41 7 7 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 1 0 98765 1000 200`;
  assert.deepEqual(parseStat(`42 (node) ${rest}`), { parentPid: 41, startTicks: 98765 });
  assert.deepEqual(parseStat(`42 (a) b (c) ${rest}`), { parentPid: 41, startTicks: 98765 });
  assert.equal(parseStat('42 (broken'), undefined);
});

test('the first process has its parent outside and is the oldest such', () => {
  const inside = (pid: number, parentPid: number, startTicks: number) => ({
    pid,
    parentPid,
    startTicks,
    inContainer: true,
  });
  const first = inside(100, 1, 10);
  const child = inside(101, 100, 11);
  const executed = inside(90, 50, 30);
  assert.equal(firstProcess([executed, child, first]), first);
  assert.equal(firstProcess([]), undefined);
});

async function fakeProc(t: TestContext, processes: Record<number, Record<string, string>>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'locator-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  for (const [pid, files] of Object.entries(processes)) {
    await mkdir(join(dir, pid));
    for (const [name, text] of Object.entries(files)) await writeFile(join(dir, pid, name), text);
  }
  return dir;
}

function stat(pid: number, parentPid: number, ticks: number, state = 'S'): string {
  return `${pid} (app) ${state} ${parentPid} 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 ${ticks} 0 0`;
}

test('a container is found by its cgroup', async (t) => {
  const cgroup = `0::/kubepods.slice/cri-containerd-${ID}.scope\n`;
  const procDir = await fakeProc(t, {
    1: { stat: stat(1, 0, 1), cgroup: '0::/init.scope\n' },
    10: { stat: stat(10, 1, 5), cgroup: `0::/kubepods.slice/crio-conmon-${ID}.scope\n` },
    11: { stat: stat(11, 10, 6), cgroup },
    12: { stat: stat(12, 11, 7), cgroup },
    // Ended but not yet waited for.
    9: { stat: stat(9, 1, 2, 'Z'), cgroup },
  });
  const found = await locateContainer(`containerd://${ID}`, { procDir });
  assert.equal(found.pid, 11);
  assert.equal(await isSameProcess(found, { procDir }), true);
  await writeFile(join(procDir, '11', 'stat'), stat(11, 1, 99));
  assert.equal(await isSameProcess(found, { procDir }), false);
});

test('many containers are found by one look at the processes, and a later one sees what came since', async (t) => {
  const ids = Array.from({ length: 100 }, (_, index) => `${ID.slice(3)}${String(index).padStart(3, '0')}`);
  const lines = ['pids', 'memory', 'cpu,cpuacct'].map((name, index) => `${index}:${name}:/kubepods/pod1/`);
  const processes = ids.map((id, index): [number, Record<string, string>] => [
    100 + index,
    { stat: stat(100 + index, 1, 5), cgroup: lines.map((line) => `${line}${id}`).join('\n') },
  ]);
  const procDir = await fakeProc(t, Object.fromEntries(processes));
  const found = await Promise.all(ids.map((id) => locateContainer(`containerd://${id}`, { procDir })));
  assert.deepEqual(
    found.map(({ pid }) => pid),
    ids.map((_, index) => 100 + index),
  );
  const snapshot = takeSnapshot(procDir);
  assert.equal(takeSnapshot(procDir), snapshot, 'shared until it is taken');
  await snapshot;
  await mkdir(join(procDir, '900'));
  await writeFile(join(procDir, '900', 'stat'), stat(900, 1, 9));
  await writeFile(join(procDir, '900', 'cgroup'), `4:memory:/kubepods/pod2/${ID}\n`);
  assert.equal((await locateContainer(`containerd://${ID}`, { procDir })).pid, 900);
});

test('a container that cannot be found is an error with its id and possible causes', async (t) => {
  const procDir = await fakeProc(t, { 1: { stat: stat(1, 0, 1), cgroup: '0::/\n', environ: 'PATH=/bin\0' } });
  await assert.rejects(locateContainer(`docker://${ID}`, { procDir }), {
    code: 'CONTAINER_RUNTIME_ERROR',
    message: `no process of container docker://${ID} found in ${procDir}; the container has ended, or this pod does not see the processes of its node (hostPID)`,
  });
  await assert.rejects(locateContainer('', { procDir }), {
    message: '"" is no container id; is the container running?',
  });
  await assert.rejects(locateContainer(ID, { procDir: join(procDir, 'none') }), {
    code: 'CONTAINER_RUNTIME_ERROR',
  });
});

/** A process that has a child, both with the variable; resolves when both run. */
async function startFamily(t: TestContext, id: string): Promise<{ parent: ChildProcess; childPid: number }> {
  const script = `
    const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, ['-e', 'process.send("up"); setInterval(() => {}, 1e6)'], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    child.on('message', () => process.send(child.pid));
    process.on('disconnect', () => { child.kill('SIGKILL'); process.exit(); });
  `;
  const parent = spawn(process.execPath, ['-e', script], {
    env: { ...process.env, TURNSOLE_CONTAINER_ID: id },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  t.after(() => parent.kill('SIGKILL'));
  const [childPid] = await once(parent, 'message');
  t.after(() => {
    try {
      process.kill(childPid, 'SIGKILL');
    } catch {
      // It has ended with its parent.
    }
  });
  return { parent, childPid };
}

test('a real container without a cgroup is found by its variable, kills hit its first process', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const id = `test-${process.pid}-${Date.now()}`;
  const { parent, childPid } = await startFamily(t, id);
  const found = await locateContainer(`turnsole://${id}`);
  assert.equal(found.pid, parent.pid);
  assert.notEqual(found.pid, childPid);
  assert.equal(await isSameProcess(found), true);
  const exited = once(parent, 'exit');
  process.kill(found.pid, 'SIGKILL');
  assert.deepEqual(await exited, [null, 'SIGKILL']);
  assert.equal(await isSameProcess(found), false);
});
