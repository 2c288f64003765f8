import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from './turnsole.ts';

const PATIENCE_MS = 4_000;

/** Runs files, of which the first is the main one, as suites do; what the process says when its tests are done for a while. */
async function run(files: Readonly<Record<string, string>>): Promise<{ code: number | null; said: string }> {
  await using folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text);
  const lastCall = new URL('last-call.ts', import.meta.url).href;
  const env = {
    ...process.env,
    TURNSOLE_TEST_PATIENCE_MS: String(PATIENCE_MS),
    NODE_TEST_CONTEXT: undefined,
  };
  const main = join(folder.path, Object.keys(files)[0] ?? '');
  const words = [`--import=${lastCall}`, '--test-reporter=dot', main];
  const { status, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8', timeout: 60_000 });
  return { code: status, said: stderr };
}

test('a process that something keeps after its tests is ended, and names the reason', async () => {
  const { code, said } = await run({
    'kept.test.ts': `
      import { createServer } from 'node:net';
      import { test } from 'node:test';
      test('leaves a server', () => void createServer().listen(0));`,
  });
  assert.equal(code, 1);
  assert.match(said, /these keep the process: .*TCPServerWrap/);
});

test('files that are imported one after the other have time as long as tests go on', async () => {
  const tests = `
      import { test } from 'node:test';
      import { setTimeout as delay } from 'node:timers/promises';
      for (let part = 0; part < 3; part += 1) test('part ' + part, () => delay(${PATIENCE_MS / 2}));`;
  const { code, said } = await run({
    'all.together.ts': `
      import { setImmediate as turn } from 'node:timers/promises';
      import { test } from 'node:test';
      test('first', () => {});
      await turn();
      await import('./second.ts');`,
    'second.ts': tests,
  });
  assert.deepEqual({ code, said }, { code: 0, said: '' });
});
