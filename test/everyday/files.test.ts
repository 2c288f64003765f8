import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { CLUSTER_FILES } from '../cluster/parts.ts';
import { temporaryFolder } from '../support/turnsole.ts';
import { everydayFiles, filesOfTheUser, inTurn, readShare, shareOf } from './files.ts';
import { inProcessFiles, pureFiles } from './pure-files.ts';
import { userFiles } from './user-files.ts';

const ASSERT = `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n`;

const TEST_FILES = ['{packages,src,web,test}/**/*.test.ts', 'test/**/*.alone.ts'];

const SERVES = `import { serve } from '../src/server.ts';`;

/** Test files, and whether each may share a process: as a pure one, or with others that serve; `no` for neither. */
const FILES: readonly [name: string, shares: 'pure' | 'serving' | 'no', text: string][] = [
  ['decides', 'pure', `${ASSERT}import { decide } from '../src/decide.ts';`],
  [
    'types only',
    'pure',
    `${ASSERT}import type { Server } from 'node:net';\nimport type { S } from '../src/server.ts';`,
  ],
  ['several lines', 'no', `${ASSERT}import {\n  spawn,\n} from 'node:child_process';`],
  ['of another file', 'serving', `${ASSERT}import { serve } from '../src/server.ts';`],
  ['two files away', 'serving', `${ASSERT}import { use } from '../src/user.ts';`],
  ['handed on', 'serving', `${ASSERT}export { serve } from '../src/server.ts';`],
  ['when it is needed', 'serving', `${ASSERT}const { serve } = await import('../src/server.ts');`],
  ['for its effects', 'serving', `${ASSERT}import '../src/server.ts';`],
  ['a package', 'serving', `${ASSERT}import { pino } from 'pino';`],
  ['hooks of the file', 'pure', `${ASSERT}import { after } from 'node:test';\nafter(() => {});`],
  ['variables', 'no', `${ASSERT}process.env.A = '1';`],
  ['time of all', 'no', `${ASSERT}mock.timers.enable();`],
  ['time of a test', 'pure', `${ASSERT}test('x', (t) => t.assert.ok(process.version));`],
  ['by a kubeconfig', 'serving', `${ASSERT}import { load } from '@turnsole/kube/client/config/exec-plugin';`],
  ['reads a variable', 'pure', `${ASSERT}const runs = process.env.RUNS ?? 1;`],
  ['sets a variable', 'no', `${ASSERT}process.env.RUNS ??= '1';`],
  ['serves with variables', 'no', `${ASSERT}${SERVES}\nprocess.env.A = '1';`],
];

test('files share a process when nothing that they do or import could be noticed by others in it', async () => {
  await using folder = await temporaryFolder();
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder.path, name), text);
  await mkdir(join(folder.path, 'src'));
  await mkdir(join(folder.path, 'test'));
  await write('src/decide.ts', `import { join } from 'node:path';`);
  await mkdir(join(folder.path, 'packages/kube/src/client/config'), { recursive: true });
  await write(
    'packages/kube/src/client/config/exec-plugin.ts',
    `import { spawn } from 'node:child_process';`,
  );
  await write('src/server.ts', `import { createServer } from 'node:http';`);
  await write('src/user.ts', `import { serve } from './server.ts';`);
  for (const [name, , text] of FILES) await write(`test/${name}.test.ts`, text);
  const pathOf = (name: string): string => join(folder.path, 'test', `${name}.test.ts`);
  const files = FILES.map(([name]) => pathOf(name));
  const sharing = (how: string): string[] =>
    FILES.filter(([, shares]) => shares === how).map(([name]) => pathOf(name));
  assert.deepEqual(pureFiles(files), sharing('pure'));
  const others = files.filter((file) => !pureFiles(files).includes(file));
  assert.deepEqual(inProcessFiles(others), sharing('serving'));
});

test('files of a process run one after the other, each with its own hooks', async () => {
  await using folder = await temporaryFolder();
  for (const name of ['a', 'b']) {
    const text = `import { after, before, test } from 'node:test';
      before(() => console.log('before ${name}'));
      after(() => console.log('after ${name}'));
      test('${name}', () => console.log('test ${name}'));`;
    await writeFile(join(folder.path, `${name}.ts`), text);
  }
  const program = `import { runTogether } from ${JSON.stringify(join(import.meta.dirname, 'files.ts'))};
    runTogether(${JSON.stringify(['a', 'b'].map((name) => join(folder.path, `${name}.ts`)))});`;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env,
  });
  assert.deepEqual(
    [...stdout.matchAll(/^(?:before|test|after) .$/gm)].map(([line]) => line),
    ['a', 'b'].flatMap((name) => [`before ${name}`, `test ${name}`, `after ${name}`]),
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
    ...['test/e2e/run.test.ts', 'test/e2e/plan.test.ts', 'packages/cluster/src/cluster/start.test.ts'],
    ...['test/faults/http.test.ts', 'test/crash/runs/node-agent.alone.ts'],
  ];
  assert.deepEqual(
    must.filter((file) => !found.has(file)),
    [],
  );
  const same = ['src/components/workflow-controller/restart.test.ts', 'test/e2e/unprivileged.test.ts'];
  for (const file of ['packages/kube/src/text/duration.test.ts', 'test/e2e/install.test.ts', ...same]) {
    assert.ok(!found.has(file), file);
  }
  // Root has not run these at all.
  const skippedByRoot = globSync(TEST_FILES).filter((file) =>
    /skip: process\.getuid\?\.\(\) === 0/.test(readFileSync(file, 'utf8')),
  );
  assert.ok(skippedByRoot.length > 0);
  assert.deepEqual(
    skippedByRoot.filter((file) => !found.has(file)),
    [],
  );
});

test('each kind of files comes evenly among the others, and those that wait have all begun before the end', () => {
  const computing = ['group.ts', ...['a', 'b', 'c', 'd', 'e'].map((name) => `src/${name}.test.ts`)];
  const faults = ['test/faults/dns.test.ts', 'test/faults/http.test.ts'];
  const waiting = [...faults, 'test/e2e/plan.test.ts', 'test/e2e/run.test.ts', 'test/watch/watch.test.ts'];
  assert.deepEqual(inTurn([...computing, ...waiting]), [
    ...['test/faults/dns.test.ts', 'test/e2e/plan.test.ts', 'test/watch/watch.test.ts', 'group.ts'],
    ...['src/a.test.ts', 'test/faults/http.test.ts', 'test/e2e/run.test.ts'],
    ...['src/b.test.ts', 'src/c.test.ts', 'src/d.test.ts', 'src/e.test.ts'],
  ]);
  assert.deepEqual(inTurn(computing), computing);
});

test('the parts of a list are the list, each of it once, and neighbours are in different ones', () => {
  const list = [1, 2, 3, 4, 5, 6, 7];
  const parts = ['1/3', '2/3', '3/3'].map((text) => shareOf(list, readShare(text)));
  assert.deepEqual(parts, [
    [1, 4, 7],
    [2, 5],
    [3, 6],
  ]);
  assert.deepEqual(shareOf(list, readShare('1/1')), list);
  for (const text of ['0/3', '4/3', '1', 'a/b', '1/3/5', '']) {
    assert.throws(() => readShare(text), { message: /^--share .*such as 2\/3$/ }, text);
  }
});

test('every test file is run once, but for those that take a cluster', () => {
  const { pure, shared, apart, alone, long } = everydayFiles();
  const all = [...pure, ...Object.values(shared).flat(), ...apart, ...alone, ...long.apart, ...long.alone];
  assert.deepEqual([...all, ...CLUSTER_FILES].toSorted(), globSync(TEST_FILES).toSorted());
  assert.ok(pure.length > 100 && apart.length > 150 && long.apart.length > 20);
  for (const [name, files] of Object.entries(shared)) {
    assert.ok(files.length > 5, name);
    assert.ok(existsSync(join(import.meta.dirname, `${name}.together.ts`)), name);
  }
  assert.deepEqual(
    long.groups.filter((name) => !(name in shared)),
    [],
  );
  assert.ok(!pure.includes('test/everyday/pure-files.test.ts'), 'it starts processes, by its support');
});
