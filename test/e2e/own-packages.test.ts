/** The project's own packages as somebody else gets them: packed, unpacked below node_modules of an empty folder, run and type-checked there. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { startApi } from '@turnsole/kube/testing/api';
import { buildPackage, publishedManifest } from '../../build/own-package.ts';
import { temporaryFolder } from '../support/turnsole.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

/** A program in another folder than this one's, with the packed package and what that depends on. */
async function unpack(folder: string, name: string): Promise<void> {
  const made = join(folder, 'made');
  await buildPackage(ROOT, join(ROOT, 'packages', name), made);
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: made });
  const [packed] = JSON.parse(stdout) as [{ readonly filename: string }];
  const home = join(folder, 'node_modules', '@turnsole', name);
  await mkdir(home, { recursive: true });
  await run('tar', ['-xzf', join(folder, packed.filename), '-C', home, '--strip-components=1']);
  const manifest = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const dependency of Object.keys(manifest.dependencies)) {
    await symlink(join(ROOT, 'node_modules', dependency), join(folder, 'node_modules', dependency));
  }
  // What a program in TypeScript has beside it.
  await mkdir(join(folder, 'node_modules', '@types'));
  for (const types of ['node', 'ws']) {
    await symlink(join(ROOT, 'node_modules', '@types', types), join(folder, 'node_modules', '@types', types));
  }
  await symlink(join(ROOT, 'node_modules', 'undici-types'), join(folder, 'node_modules', 'undici-types'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
}

const PROGRAM = `
import { createClient, loadKubeconfig, NAMESPACES } from '@turnsole/kube';
import { parseQuantity, quantityToNumber } from '@turnsole/kube/text/quantity';

const client = createClient(await loadKubeconfig({ path: process.argv[2] }));
const { items } = await client.list(NAMESPACES);
console.log(items.map(({ metadata }) => metadata.name).join(), quantityToNumber(parseQuantity('1Ki')));
client.close();
`;

test('kube, packed and installed elsewhere, lists what a cluster has', async () => {
  await using folder = await temporaryFolder();
  await unpack(folder.path, 'kube');
  await writeFile(join(folder.path, 'list.js'), PROGRAM);
  await using api = await startApi(createApiServer);
  const { stdout } = await run(process.execPath, ['list.js', api.server.kubeconfigPath], {
    cwd: folder.path,
  });
  assert.match(stdout, /^default,.*kube-system.* 1024\n$/);
});

test('the example of kube is a strict program with the declarations that are published', async () => {
  await using folder = await temporaryFolder();
  await unpack(folder.path, 'kube');
  await cp(join(ROOT, 'packages/kube/examples/budgets.ts'), join(folder.path, 'budgets.ts'));
  const options = {
    strict: true,
    target: 'es2023',
    lib: ['esnext'],
    module: 'nodenext',
    types: ['node'],
    noEmit: true,
    skipLibCheck: false,
    exactOptionalPropertyTypes: false,
  };
  await writeFile(
    join(folder.path, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['budgets.ts'] }),
  );
  const { stdout } = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder.path]).catch(
    (error: { readonly stdout: string }) => error,
  );
  assert.equal(stdout, '');
});

test('what is published leads to what was compiled, and says nothing of the checkout', () => {
  const manifest = {
    name: 'a',
    private: true,
    devDependencies: { b: '1' },
    exports: { '.': './src/index.ts', './*': './src/*.ts' },
  };
  assert.deepEqual(publishedManifest(manifest), {
    name: 'a',
    files: ['lib'],
    sideEffects: false,
    exports: {
      '.': { types: './lib/index.d.ts', default: './lib/index.js' },
      './*': { types: './lib/*.d.ts', default: './lib/*.js' },
    },
  });
});
