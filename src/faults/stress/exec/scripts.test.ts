import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { parseTunables } from '../../../experiment/injection/settings/parse-tunables.ts';
import podFioStress, { fioCommand } from '../pod-fio-stress.ts';
import {
  isBroadKill,
  reapWords,
  STARTED,
  startWords,
  tidyWords,
  usageWords,
  usedSeconds,
} from './scripts.ts';

const linux = process.platform === 'linux' ? false : 'processes are found in /proc';

function run(words: readonly string[]): ChildProcess {
  const [file = '', ...args] = words;
  return spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}

test('what was started for an injection is killed, its children too, and nothing else', {
  skip: linux,
}, async () => {
  const [id, other] = [randomUUID(), randomUUID()];
  const hit = run(startWords(id, 'sleep 1000 & exec sleep 1000'));
  const spared = run(startWords(other, 'exec sleep 1000'));
  try {
    for (const child of [hit, spared]) {
      assert.ok(child.stdout);
      const [chunk] = await once(child.stdout, 'data');
      assert.equal(String(chunk).trim(), STARTED);
    }
    // The pipe is closed when the last of them has ended.
    const closed = once(hit, 'close');
    const [file = '', ...args] = reapWords(id);
    execFileSync(file, args);
    assert.deepEqual(await closed, [null, 'SIGKILL']);
    execFileSync(file, args);
    assert.deepEqual([spared.exitCode, spared.signalCode], [null, null]);
  } finally {
    for (const one of [id, other]) {
      const [file = '', ...args] = reapWords(one);
      execFileSync(file, args);
    }
  }
});

test('the script reports a missing program before it starts anything', () => {
  const [file = '', ...args] = startWords('id', 'no-such-program --fast');
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8' });
  assert.deepEqual(
    [status, stdout, stderr.trim()],
    [127, '', 'no-such-program is not in the image of the container'],
  );
});

test('a command is any shell text, and knows its injection', () => {
  const [file = '', ...args] = startWords('an id', 'for i in 1 2; do echo "$i $TURNSOLE_STRESS"; done');
  const said = execFileSync(file, args, { encoding: 'utf8' });
  assert.ok(said.startsWith(`${STARTED}\n1 an id\n2 an id\n`), said);
  const [tidy = '', ...more] = tidyWords('an id', 'echo "$TURNSOLE_STRESS"');
  assert.equal(execFileSync(tidy, more, { encoding: 'utf8' }), 'an id\n');
});

test('the script reports the CPU time of a command when it has ended', () => {
  const said = (command: string): string => {
    const [file = '', ...args] = startWords('an id', command);
    return spawnSync(file, args, { encoding: 'utf8' }).stdout;
  };
  const busy = 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done';
  assert.ok(usedSeconds(said(busy)) > 0.02, said(busy));
  assert.ok(usedSeconds(said('exit 3')) < 0.02);
  assert.equal(usedSeconds('1m2.5s 0m0s'), 0);
  assert.equal(usedSeconds('turnsole-ended\n0m0.01s 0m0.02s\n1m2.50s 0m0.47s\n'), 63);
});

test('running commands are listed with their CPU time and memory', { skip: linux }, async () => {
  const id = randomUUID();
  const usage = (): number[] => {
    const [file = '', ...args] = usageWords(id);
    return execFileSync(file, args, { encoding: 'utf8' }).trim().split(' ').map(Number);
  };
  assert.deepEqual(usage(), [0, 0, 0]);
  const child = run(startWords(id, 'while true; do :; done'));
  try {
    assert.ok(child.stdout);
    await once(child.stdout, 'data');
    let [alive = 0, ticks = 0, held = 0] = usage();
    for (const until = performance.now() + 20_000; ticks === 0 && performance.now() < until; )
      [alive = 0, ticks = 0, held = 0] = usage();
    assert.ok(alive >= 1 && ticks > 0, `${alive} processes, ${ticks} ticks`);
    assert.ok(held > 0 && held < 50_000, `${held} KiB`);
  } finally {
    const [file = '', ...args] = reapWords(id);
    execFileSync(file, args);
  }
});

test('kill commands that would hit the application as well', () => {
  const cases: [string, boolean][] = [
    [
      "kill $(find /proc -name exe -lname '*/md5sum' 2>&1 | grep -v 'Permission denied' | awk -F/ '{print $(NF-1)}')",
      true,
    ],
    ['killall fio', true],
    ['pkill -f my-load', false],
    ['/app/stop-load.sh', false],
  ];
  for (const [command, expected] of cases) assert.equal(isBroadKill(command), expected, command);
});

test('the line of fio has what was set', () => {
  const env = {
    IO_ENGINE: 'sync',
    READ_WRITE_MODE: 'randwrite',
    SIZE: '16',
    NUMBER_OF_JOBS: '2',
    BLOCK_SIZE: '4k',
  };
  const { values, problems } = parseTunables(podFioStress.tunables, env);
  assert.deepEqual(problems, []);
  assert.equal(
    fioCommand(values),
    'fio --name=testchaos --time_based --ioengine=sync --rw=randwrite --bs=4k --size=16M --numjobs=2 --runtime=30 --group_reporting',
  );
  const refused = parseTunables(podFioStress.tunables, { IO_ENGINE: 'sync; rm -rf /' });
  assert.deepEqual(
    refused.problems.map(({ variable }) => variable),
    ['IO_ENGINE', 'SIZE'],
  );
});
