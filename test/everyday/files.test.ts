import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/turnsole.ts';
import { everydayFiles, filesOfTheUser } from './files.ts';
import { pureFiles } from './pure-files.ts';
import { userFiles } from './user-files.ts';

const ASSERT = `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n`;

/** Test files, and whether each may share a process. */
const FILES: readonly [name: string, isPure: boolean, text: string][] = [
  ['decides', true, `${ASSERT}import { decide } from '../src/decide.ts';`],
  [
    'types only',
    true,
    `${ASSERT}import type { Server } from 'node:net';\nimport type { S } from '../src/server.ts';`,
  ],
  ['several lines', false, `${ASSERT}import {\n  spawn,\n} from 'node:child_process';`],
  ['of another file', false, `${ASSERT}import { serve } from '../src/server.ts';`],
  ['two files away', false, `${ASSERT}import { use } from '../src/user.ts';`],
  ['handed on', false, `${ASSERT}export { serve } from '../src/server.ts';`],
  ['when it is needed', false, `${ASSERT}const { serve } = await import('../src/server.ts');`],
  ['for its effects', false, `${ASSERT}import '../src/server.ts';`],
  ['a package', false, `${ASSERT}import { pino } from 'pino';`],
  ['hooks of the file', false, `${ASSERT}import { after } from 'node:test';\nafter(() => {});`],
  ['variables', false, `${ASSERT}process.env.A = '1';`],
  ['time of all', false, `${ASSERT}mock.timers.enable();`],
  ['time of a test', true, `${ASSERT}test('x', (t) => t.assert.ok(process.version));`],
];

test('pure files are those that neither do nor import anything that others in the process could notice', async () => {
  await using folder = await temporaryFolder();
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder.path, name), text);
  await mkdir(join(folder.path, 'src'));
  await mkdir(join(folder.path, 'test'));
  await write('src/decide.ts', `import { join } from 'node:path';`);
  await write('src/server.ts', `import { createServer } from 'node:http';`);
  await write('src/user.ts', `import { serve } from './server.ts';`);
  for (const [name, , text] of FILES) await write(`test/${name}.test.ts`, text);
  const pathOf = (name: string): string => join(folder.path, 'test', `${name}.test.ts`);
  assert.deepEqual(
    pureFiles(FILES.map(([name]) => pathOf(name))),
    FILES.filter(([, isPure]) => isPure).map(([name]) => pathOf(name)),
  );
});

test('another user runs what looks at the user, itself or by what it imports', async () => {
  await using folder = await temporaryFolder();
  const files: readonly [name: string, isOfTheUser: boolean, text: string][] = [
    ['decides', false, ASSERT],
    ['asks', true, `${ASSERT}const isRoot = process.getuid?.() === 0;`],
    ['imports what asks', true, `${ASSERT}import { isRoot } from './asks.ts';`],
    ['imports its types', false, `${ASSERT}import type { Root } from './asks.ts';`],
    ['starts the command', true, `${ASSERT}spawn('node', ['bin/turnsole.js']);`],
    ['enters', true, `${ASSERT}spawn('nsenter', ['-t', '1']);`],
  ];
  const pathOf = (name: string): string => join(folder.path, `${name}.ts`);
  for (const [name, , text] of files) await writeFile(pathOf(name), text);
  assert.deepEqual(
    userFiles(files.map(([name]) => pathOf(name))),
    files.filter(([, isOfTheUser]) => isOfTheUser).map(([name]) => pathOf(name)),
  );
});

test('of the suite, these look at the user: the command, clusters of processes, faults; and these do not', () => {
  const { apart, alone } = filesOfTheUser();
  const found = new Set([...apart, ...alone]);
  const must = [
    ...['test/e2e/run.test.ts', 'test/e2e/unprivileged.test.ts', 'src/local/index.test.ts'],
    ...['test/faults/http.test.ts', 'test/crash/runs/node-agent.alone.ts'],
  ];
  assert.deepEqual(
    must.filter((file) => !found.has(file)),
    [],
  );
  for (const file of ['src/text/duration.test.ts', 'src/components/operator/operator.test.ts']) {
    assert.ok(!found.has(file), file);
  }
});

test('every test file is run once', () => {
  const { pure, apart, alone } = everydayFiles();
  const all = [...pure, ...apart, ...alone];
  assert.equal(new Set(all).size, all.length);
  assert.ok(pure.length > 100 && apart.length > 200 && alone.length > 0);
  assert.ok(!pure.includes('test/everyday/pure-files.test.ts'), 'it starts processes, by its support');
});
