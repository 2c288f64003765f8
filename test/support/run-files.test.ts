import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from './turnsole.ts';

test('runFiles throws when its own process did not catch an error, and shows where that was thrown', async () => {
  await using folder = await temporaryFolder();
  const passes = join(folder.path, 'passes.test.ts');
  await writeFile(passes, `import { test } from 'node:test'; test('passes', () => {});`);
  const runner = join(folder.path, 'runner.ts');
  const lines = [
    `import { runFiles } from ${JSON.stringify(new URL('run-files.ts', import.meta.url).href)};`,
    `async function follow() { throw new Error('no such process'); }`,
    `setImmediate(follow);`,
    `console.log('failed:', await runFiles([${JSON.stringify(passes)}], { concurrency: 1 }));`,
  ];
  await writeFile(runner, lines.join('\n'));
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const { status, stdout, stderr } = spawnSync(process.execPath, [runner], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(status, 1);
  assert.match(stdout, /✔ passes/);
  assert.doesNotMatch(stdout, /failed:/);
  assert.match(stderr, /Error: an error beside the tests/);
  assert.match(stderr, /cause.*Error: no such process\s+at .*follow .*runner\.ts:2/);
});

test('a file is blamed for its tests, also for those that a shared function has made, and in a process that it shares', async () => {
  await using folder = await temporaryFolder();
  const write = (name: string, ...lines: readonly string[]): Promise<void> =>
    writeFile(join(folder.path, name), lines.join('\n'));
  await write(
    'shared.ts',
    `import { test } from 'node:test';`,
    `export const fails = () => test('fails', () => { throw new Error('no'); });`,
  );
  for (const name of ['one.test.ts', 'two.test.ts'])
    await write(name, `import { fails } from './shared.ts';`, 'fails();');
  const two = join(folder.path, 'two.test.ts');
  await write(
    'all.together.ts',
    `import { describe } from 'node:test';`,
    `describe(${JSON.stringify(two)}, () => import('./two.test.ts'));`,
  );
  await write(
    'runner.ts',
    `import { runFiles } from ${JSON.stringify(new URL('run-files.ts', import.meta.url).href)};`,
    `const failed = await runFiles(['one.test.ts', 'all.together.ts'], { concurrency: 1 });`,
    `console.log('failed: ' + failed.map((file) => file.split('/').at(-1)).toSorted());`,
  );
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const { stdout, stderr } = spawnSync(process.execPath, ['runner.ts'], {
    ...{ env, cwd: folder.path, encoding: 'utf8', timeout: 60_000 },
  });
  assert.match(stdout, /^failed: one\.test\.ts,two\.test\.ts$/m, stderr);
});
