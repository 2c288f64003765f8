import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The everyday share; `npm run test:watch -- --seeds 1000` is the long run. */
const SEEDS = 20;
const LIMIT_MS = 180_000;

// In a process that ends itself: connections that were cut off in the middle can keep Node from ending, at full load.
test('watches tell every change of their view once and in order', async () => {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const run = promisify(execFile)(process.execPath, [main, '--seeds', String(SEEDS)], { timeout: LIMIT_MS });
  const { stdout } = await run.catch((error: { readonly stdout?: string; readonly stderr?: string }) => {
    throw new Error(`${error.stdout ?? ''}${error.stderr ?? ''}`, { cause: error });
  });
  assert.match(stdout, new RegExp(`^${SEEDS} seeds passed`, 'm'));
});
