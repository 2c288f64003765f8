import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { until } from '@turnsole/kube/testing/until';
import { removeJournals } from './journals.ts';
import { sendSignal } from './orphaned-processes.ts';
import { Reaper, restartDelayMs } from './reaper.ts';

const linux = process.platform === 'linux';

/** A program that owns a cluster folder and two processes, says their ids and then waits to be killed. */
const OWNER = `
import { spawn } from 'node:child_process';
import { Reaper } from ${JSON.stringify(new URL('./reaper.ts', import.meta.url).href)};
const dataDir = process.argv[1];
const reaper = new Reaper({ dataDir, removeDataDir: process.argv[2] === 'remove' });
const env = { PATH: process.env.PATH, TURNSOLE_POD_ROOT: dataDir + '/pods/u/root' };
const child = spawn('/bin/sh', ['-c', 'setsid sleep 1000 & echo $!; sleep 1000 & echo $!; exec sleep 1000'], {
  detached: true, stdio: ['ignore', 'inherit', 'ignore'], env });
reaper.add(child.pid);
console.log(child.pid);
console.log('reaper ' + reaper.pid);
setInterval(() => {}, 1000);
`;

/** Resolves when the process is gone: its end closes nothing of ours, so it has to be asked for. */
async function ended(pid: number): Promise<void> {
  await until(() => !isAlive(pid), `process ${pid} is still there`);
}

/** A process that has ended but that its parent has not asked about is dead, too. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !linux || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

for (const what of ['remove', 'keep'] as const) {
  test(`a killed owner leaves no process and no pod folder (${what})`, { skip: !linux }, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'turnsole-reaper-'));
    mkdirSync(join(dataDir, 'pods', 'u', 'root'), { recursive: true });
    const owner = spawn(process.execPath, ['--input-type=module', '-e', OWNER, dataDir, what], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pids: number[] = [];
    for await (const line of createInterface({ input: owner.stdout })) {
      pids.push(Number(line.replace('reaper ', '')));
      if (pids.length === 4) break;
    }
    const exit = once(owner, 'exit');
    owner.kill('SIGKILL');
    await exit;
    await Promise.all(pids.map(ended));
    assert.equal(existsSync(join(dataDir, 'pods')), false);
    assert.equal(existsSync(dataDir), what === 'keep');
    rmSync(dataDir, { recursive: true, force: true });
  });
}

test('a closed reaper leaves everything as it is, a killed one is replaced', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'turnsole-reaper-'));
  const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  const reaper = new Reaper({ dataDir, removeDataDir: true });
  reaper.add(child.pid ?? 0);
  const first = reaper.pid ?? 0;
  try {
    sendSignal(first, 'SIGKILL');
    await until(() => reaper.pid !== first, 'no new reaper was started');
    await reaper.close();
    assert.ok(existsSync(dataDir));
    assert.ok(isAlive(child.pid ?? 0));
  } finally {
    child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true });
  }
});

for (const [shortLives, delayMs] of [
  [0, 0],
  [1, 100],
  [2, 200],
  [6, 3_200],
  [7, 5_000],
  [8, undefined],
  [100, undefined],
] as const) {
  test(`after ${shortLives} shells that ended at once the next is started after ${delayMs} ms`, () => {
    assert.equal(restartDelayMs(shortLives), delayMs);
  });
}

for (const [shell, how] of [
  ['/bin/false', 'code 1'],
  ['/nowhere/sh', 'ENOENT'],
] as const) {
  test(`a reaper whose shell is ${shell} is given up with a message`, { skip: !linux }, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'turnsole-reaper-'));
    const delays: number[] = [];
    const message = await new Promise<string>((resolve) => {
      const reaper = new Reaper({
        dataDir,
        removeDataDir: false,
        shell,
        clock: {
          monotonic: () => 0,
          setTimer: (ms, callback) => {
            delays.push(ms);
            callback();
            return () => {};
          },
        },
        onGivenUp: (given) => {
          void reaper.close();
          resolve(given);
        },
      });
      reaper.addFolder('/x');
    });
    assert.deepEqual(delays, [100, 200, 400, 800, 1_600, 3_200, 5_000]);
    assert.ok(message.includes(how) && message.includes(dataDir), message);
    rmSync(dataDir, { recursive: true, force: true });
  });
}

test('a killed owner takes the journals of its pods along, and no others', {
  skip: !linux,
}, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'turnsole-reaper-'));
  const journals = mkdtempSync(join(tmpdir(), 'turnsole-journals-'));
  try {
    const journal = (server: string): string => JSON.stringify({ version: 1, server, entries: [] });
    for (const [name, server] of [
      ['own one.json', '10.0.0.1:443'],
      ['own.json.new', '10.0.0.1:443'],
      ['other.json', '10.0.0.11:443'],
      ['longer.json', '10.0.0.1:4430'],
    ] as const) {
      writeFileSync(join(journals, name), journal(server));
    }
    const markOf = (server: string): string => `"server":${JSON.stringify(server)}`;
    const mark = markOf('10.0.0.1:443');
    const program = `
      import { Reaper } from ${JSON.stringify(new URL('./reaper.ts', import.meta.url).href)};
      const reaper = new Reaper({ dataDir: process.argv[1], removeDataDir: true });
      reaper.addJournals(process.argv[2], process.argv[3]);
      console.log('up');
      setInterval(() => {}, 1000);`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', program, dataDir, journals, mark], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(owner.stdout, 'data');
    const exit = once(owner, 'exit');
    owner.kill('SIGKILL');
    await exit;
    await until(() => !existsSync(dataDir), 'the reaper has not come to its end');
    assert.deepEqual(readdirSync(journals).sort(), ['longer.json', 'other.json']);
    await removeJournals(journals, markOf('10.0.0.11:443'));
    assert.deepEqual(readdirSync(journals), ['longer.json']);
  } finally {
    rmSync(journals, { recursive: true, force: true });
    rmSync(dataDir, { recursive: true, force: true });
  }
});
