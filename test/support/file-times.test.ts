import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatTimes, readTimes, TIMES_FILE } from './file-times.ts';
import { temporaryFolder } from './turnsole.ts';

test('the files that took longest come first, and the sum of all last', () => {
  const times = [
    { file: '/p/src/a.test.ts', wall: 1.04, own: 0.5, children: 0 },
    { file: '/p/test/b.test.ts', wall: 30, own: 0.25, children: 2 },
    { file: '/p/src/c.test.ts', wall: 0.5, own: 0.25, children: 0 },
  ];
  assert.deepEqual(formatTimes(times, 2, '/p').split('\n'), [
    'seconds         in all computed its processes',
    'test/b.test.ts    30.0      0.3           2.0',
    'src/a.test.ts      1.0      0.5           0.0',
    'all 3             31.5      1.0           2.0',
  ]);
});

test('a test process reports what it and its processes computed', async () => {
  await using folder = await temporaryFolder();
  const timesPath = join(folder.path, 'times');
  const file = join(folder.path, 'busy.test.ts');
  const busy = 'while (process.cpuUsage().user < 3e5);';
  await writeFile(
    file,
    `import { execFileSync } from 'node:child_process';\nexecFileSync(process.execPath, ['-e', '${busy}']);\n`,
  );
  const lastCall = new URL('last-call.ts', import.meta.url).href;
  spawnSync(process.execPath, [`--import=${lastCall}`, file], {
    env: { ...process.env, [TIMES_FILE]: timesPath },
  });
  const [time, ...others] = readTimes(timesPath);
  assert.deepEqual(others, []);
  assert.equal(time?.file, file);
  assert.ok(time.own > 0 && time.wall >= time.children, JSON.stringify(time));
  if (process.platform === 'linux')
    assert.ok(time.children >= 0.3, `its process computed ${time.children} s`);
});
