/** The project's packages as somebody else gets them: packed, and unpacked below `node_modules` of an empty folder. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from '../../build/bundle.ts';
import { buildDeclarations } from '../../build/declarations.ts';
import { buildPackages } from '../../build/own-package.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Below the root, where the compiler finds what the packages depend on. */
const CACHE = join(ROOT, 'node_modules', '.cache', 'turnsole');
const run = promisify(execFile);

/** An empty folder, but for packages and what they depend on. */
export interface InstalledPackages extends AsyncDisposable {
  readonly path: string;
  /** Compiles programs of the folder into `out`, as strictly as the compiler can; what it says of them is a failure. */
  compile(...files: readonly string[]): Promise<void>;
}

/**
 * Packs packages and unpacks them in an empty folder.
 *
 * @param names of folders in `packages/`, and `turnsole` for that of the root
 * @param beside further packages of the root's `node_modules` that programs there use
 */
export async function installPackages(
  names: readonly string[],
  beside: readonly string[] = [],
): Promise<InstalledPackages> {
  const path = await mkdtemp(join(tmpdir(), 'turnsole-packages-'));
  const own = names.filter((name) => name !== 'turnsole');
  await mkdir(CACHE, { recursive: true });
  const made = await mkdtemp(join(CACHE, 'packages-'));
  try {
    await buildPackages(ROOT, own, (name) => join(made, name));
    for (const name of own) await unpack(path, join(made, name), name);
    if (own.length < names.length) await installRoot(join(path, 'node_modules', 'turnsole'));
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  for (const other of [...beside, '@types/node', 'undici-types']) await link(path, other);
  await writeFile(join(path, 'package.json'), JSON.stringify({ type: 'module' }));
  return {
    path,
    compile: (...files) => compile(path, files),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

async function unpack(folder: string, made: string, name: string): Promise<void> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: made });
  const [packed] = JSON.parse(stdout) as [{ readonly filename: string }];
  const home = join(folder, 'node_modules', '@turnsole', name);
  await mkdir(home, { recursive: true });
  await run('tar', ['-xzf', join(folder, packed.filename), '-C', home, '--strip-components=1']);
  assert.deepEqual((await readdir(home)).toSorted(), ['LICENSE', 'README.md', 'lib', 'package.json']);
  const { dependencies } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const other of Object.keys(dependencies).filter((one) => !one.startsWith('@turnsole/')))
    await link(folder, other);
}

/** The package of the root, as `npm run build` and `npm pack` make it, without the page. */
async function installRoot(home: string): Promise<void> {
  await installBundle(home);
  await buildDeclarations(ROOT, join(home, 'dist', 'types'));
}

async function installBundle(home: string): Promise<void> {
  await mkdir(home, { recursive: true });
  await bundle(ROOT, join(home, 'dist'));
  const { files } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly files: readonly string[];
  };
  for (const name of ['package.json', ...files.filter((one) => one !== 'dist')])
    await cp(join(ROOT, name), join(home, name), { recursive: true });
}

/** The package of the root in a folder, for those who type `npx turnsole` in it or below: without page and declarations. */
export async function installCommand(folder: string): Promise<void> {
  await installBundle(join(folder, 'node_modules', 'turnsole'));
  await mkdir(join(folder, 'node_modules', '.bin'));
  await symlink('../turnsole/bin/turnsole.js', join(folder, 'node_modules', '.bin', 'turnsole'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
}

/** What a program in TypeScript has beside it. */
async function link(folder: string, name: string): Promise<void> {
  const place = join(folder, 'node_modules', name);
  await mkdir(dirname(place), { recursive: true });
  await symlink(join(ROOT, 'node_modules', name), place).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

async function compile(folder: string, files: readonly string[]): Promise<void> {
  const compilerOptions = {
    strict: true,
    target: 'es2023',
    // What drives browsers names their types.
    lib: ['esnext', 'dom'],
    module: 'nodenext',
    types: ['node'],
    rootDir: '.',
    outDir: 'out',
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: true,
    skipLibCheck: false,
    exactOptionalPropertyTypes: false,
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const { stdout } = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder]).catch(
    (error: { readonly stdout: string }) => error,
  );
  assert.equal(stdout, '');
}
