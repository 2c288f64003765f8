import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from './turnsole.ts';

/** Tests side by side that go on until the exception of their timer, promise or callback of the system has come, and tests within tests. */
const TESTS = `
import { createHook, executionAsyncId } from 'node:async_hooks';
import { readFile } from 'node:fs';
import { before, describe, it, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
describe('side by side', { concurrency: true }, () => {
  before(() => {});
  it('a timer', () => new Promise((resolve) => {
    setTimeout(() => { setImmediate(resolve); throw new Error('of the timer'); }, 10);
  }));
  it('a promise', () => new Promise((resolve) => {
    void (async () => { await delay(20); setImmediate(resolve); throw new Error('of the promise'); })();
  }));
  it('a callback', () => new Promise((resolve) => {
    readFile(import.meta.filename, () => { setImmediate(resolve); throw new Error('of the callback'); });
  }));
  it('nothing', () => delay(50));
});
test('within', async (t) => {
  await t.test('one that gets its parent', () => {});
  await delay(1);
  await test('one that is not', () => {});
});
test('hooks are those of Node', () => {
  const seen = [];
  const hook = createHook({ init: (id, type) => seen.push(type) }).enable();
  void delay(1);
  hook.disable();
  if (!seen.includes('Timeout') || executionAsyncId() === 0) throw new Error(seen.join(' '));
});
`;

/** What Node's runner says of the tests, without how long they took, where they stand, and how Node itself came to call them. */
async function report(imports: readonly string[]): Promise<string> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'stray.test.ts');
  await writeFile(file, TESTS);
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const words = [...imports.map((name) => `--import=${name}`), '--test-reporter=tap', file];
  const { stdout } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
  return stdout.replaceAll(folder.path, '').replaceAll(/duration_ms.*|.*\(node:internal.*\n/g, '');
}

test('tests are blamed and nested as Node’s own runner does it', async () => {
  const ours = await report([new URL('blame-by-context.ts', import.meta.url).href]);
  assert.match(ours, /# pass 5\n# fail 3\n/);
  assert.equal(ours, await report([]));
});
