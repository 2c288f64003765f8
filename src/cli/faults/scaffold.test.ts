import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nameProblem, registerFault } from './scaffold.ts';
import type { ScaffoldOptions } from './scaffold-options.ts';
import { writeScaffold } from './write-scaffold.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

test('which names a fault can have', () => {
  for (const name of ['pod-freeze', 'node-x', 'dns-2-slow']) assert.equal(nameProblem(name, []), undefined);
  for (const name of ['freeze', 'Pod-x', 'pod_x', '../x-y', 'pod-', '1-x', `a-${'b'.repeat(60)}`]) {
    assert.match(nameProblem(name, []) ?? '', /is no name for a fault: lower-case words/);
  }
  assert.equal(nameProblem('pod-delete', ['pod-delete']), 'there is a fault named pod-delete already');
});

test('a fault is registered behind the others', () => {
  const registry = "x\nconst LOADERS: T = {\n  'a-b': () => import('./pod/a-b.ts'),\n};\nrest {\n};\n";
  assert.equal(
    registerFault(registry, 'node-x'),
    "x\nconst LOADERS: T = {\n  'a-b': () => import('./pod/a-b.ts'),\n  'node-x': () => import('./node/node-x.ts'),\n};\nrest {\n};\n",
  );
  assert.throws(() => registerFault('nothing', 'node-x'), /no table LOADERS/);
});

/** A checkout in which only the faults are its own; everything else is this one. */
async function checkout(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'turnsole-scaffold-'));
  await mkdir(join(root, 'src'));
  for (const folder of await readdir(join(ROOT, 'src'))) {
    if (folder !== 'faults') await symlink(join(ROOT, 'src', folder), join(root, 'src', folder));
  }
  for (const folder of ['node_modules', 'test', 'package.json']) {
    await symlink(join(ROOT, folder), join(root, folder));
  }
  await cp(join(ROOT, 'src', 'faults'), join(root, 'src', 'faults'), { recursive: true });
  const config: unknown = JSON.parse(await readFile(join(ROOT, 'tsconfig.json'), 'utf8'));
  const own = { ...(config as object), include: ['src/faults/*/*-scaffolded*.ts', 'src/faults/index.ts'] };
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify(own));
  return root;
}

const KINDS: readonly (readonly [string, ScaffoldOptions])[] = [
  ['pod-a-scaffolded', { targets: 'pods', shape: 'sustained' }],
  ['pod-b-scaffolded', { targets: 'pods', shape: 'pulse' }],
  ['node-c-scaffolded', { targets: 'nodes', shape: 'sustained' }],
  ['node-d-scaffolded', { targets: 'nodes', shape: 'pulse' }],
  ['container-e-scaffolded', { targets: 'containers', shape: 'sustained' }],
];

test('what is written type-checks, passes the linter and its own tests', async (t) => {
  const dir = await checkout();
  t.after(() => rm(dir, { recursive: true, force: true }));
  const written: string[] = [];
  for (const [name, options] of KINDS) written.push(...(await writeScaffold(name, { ...options, dir })));
  const page = await readFile(join(ROOT, 'docs', 'writing-a-fault.md'), 'utf8');
  const example =
    /```ts\n(const tunables = .*?)```/s.exec(page)?.[1] ?? assert.fail('the page has no example');
  const around = `import { duration, list } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
${example}export default tunables;
`;
  await writeFile(join(dir, 'src/faults/pod/page-scaffolded.ts'), around);
  const files = written.filter((path) => path !== 'src/faults/index.ts');
  assert.equal(files.length, 2 * KINDS.length);
  const tools = join(ROOT, 'node_modules', '.bin');
  await cp(join(ROOT, '.oxlintrc.json'), join(dir, '.oxlintrc.json'));
  const env = { ...process.env, NODE_TEST_CONTEXT: '', NO_COLOR: '1' };
  const ended = await Promise.allSettled([
    run(join(tools, 'tsc'), ['--noEmit', '-p', dir], { cwd: dir }),
    run(join(tools, 'oxlint'), files, { cwd: dir }),
    run(
      process.execPath,
      ['--test', '--test-concurrency=1', ...files.filter((path) => path.includes('.test.'))],
      { cwd: dir, env },
    ),
  ]);
  for (const one of ended) {
    if (one.status === 'rejected') assert.fail(`${one.reason.stdout}\n${one.reason.stderr}`);
  }
});

test('nothing is overwritten, and only a checkout is written into', async (t) => {
  const dir = await checkout();
  t.after(() => rm(dir, { recursive: true, force: true }));
  const options = { targets: 'pods', shape: 'pulse', dir } as const;
  await writeScaffold('pod-once-scaffolded', options);
  await assert.rejects(
    writeScaffold('pod-once-scaffolded', options),
    /pod-once-scaffolded.ts exists already/,
  );
  await assert.rejects(writeScaffold('pod-delete', options), /there is a fault named pod-delete already/);
  await assert.rejects(
    writeScaffold('pod-x', { ...options, dir: tmpdir() }),
    /is no checkout of the project/,
  );
  await assert.rejects(
    writeScaffold('pod-x', { ...options, targets: 'containers' }),
    /no scaffold for rounds in containers; begin with a copy of src\/faults\/pod\/container-kill.ts/,
  );
});
