/** The examples of `examples/test-runners`, by the commands of their README, with the packages as they are published, on Node 22 and 24. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { type InstalledPackages, installPackages } from '../support/installed-packages.ts';
import { nodeOfVersion } from '../support/node-of-version.ts';
import { executablePath } from '../web/chromium.ts';

const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples');
const run = promisify(execFile);
/** What the README's table has: folder and command. */
const ROWS = [
  ...readFileSync(join(EXAMPLES, 'test-runners', 'README.md'), 'utf8').matchAll(
    /^\| \[[^\]]+\]\(([^)]+)\) \|[^|]*\| `([^`]+)` \|$/gm,
  ),
].map(([, folder = '', command = '']) => ({ folder, command }));
const RUNNERS = ['vitest', 'vite', 'jest', '@jest/globals', 'playwright-core', '@kubernetes/client-node'];

/** At least one test has passed, in the words of each runner. */
const PASSED = /(?:ℹ|#) pass [1-9]|[1-9]\d* passed/;

let packages: InstalledPackages;
before(async () => {
  packages = await installPackages(['turnsole', 'cluster', 'kube'], RUNNERS);
  cpSync(EXAMPLES, join(packages.path, 'examples'), { recursive: true });
  // Where npm puts the commands of packages, which npx looks for.
  const commands = join(packages.path, 'node_modules', '.bin');
  mkdirSync(commands);
  symlinkSync('../vitest/vitest.mjs', join(commands, 'vitest'));
});
after(() => packages?.[Symbol.asyncDispose]());

test('the examples are strict programs with the declarations that are published', async () => {
  await packages.compile(
    ...['as-code/node-test.test.ts', 'as-code/loaded-manifest.test.ts'].map((file) => `examples/${file}`),
    ...[
      'vitest/vitest.config.ts',
      'vitest/cluster.setup.ts',
      'vitest/web.test.ts',
      'playwright/page.test.ts',
      'client-node/restart.test.ts',
    ].map((file) => `examples/test-runners/${file}`),
  );
});

for (const major of [22, 24]) {
  for (const { folder, command } of ROWS) {
    test(`Node ${major}: ${command}, in ${folder}`, { timeout: 300_000 }, async (t) => {
      if (folder === 'playwright' && executablePath === undefined) return t.skip('no Chromium here');
      const node = await nodeOfVersion(major);
      const cwd = join(packages.path, 'examples', 'test-runners', folder);
      const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
      const env = {
        ...inherited,
        PATH: `${dirname(node)}:${process.env.PATH}`,
        TURNSOLE_NODE: process.execPath,
        CHROMIUM: executablePath,
      };
      const { stdout, stderr, code } = await run('sh', ['-c', command], { cwd, env, signal: t.signal }).then(
        (printed) => ({ ...printed, code: 0 }),
        (error: { readonly stdout: string; readonly stderr: string; readonly code: number }) => error,
      );
      const printed = `${stdout}\n${stderr}`;
      assert.equal(code, 0, printed);
      assert.match(printed, PASSED);
    });
  }
}
