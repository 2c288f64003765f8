import { execFile } from 'node:child_process';
import { cp, glob, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A `package.json`, of which only these fields are looked at. */
interface PackageManifest {
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** Fields that serve the checkout only: there the package is run from its sources, and never published from there. */
const OF_THE_CHECKOUT = ['private', 'devDependencies'];

/**
 * Makes packages of the project as they are published, those that others depend on first.
 *
 * @param names of their folders in `packages/`
 * @param placeOf where one is made, see {@link buildPackage}
 * @returns these places, in the order in which they were made
 */
export async function buildPackages(
  root: string,
  names: readonly string[],
  placeOf: (name: string) => string,
): Promise<string[]> {
  const made: Record<string, string> = {};
  const build = async (name: string): Promise<void> => {
    const folder = join(root, 'packages', name);
    const manifest = await readManifest(folder);
    const scoped = String(manifest.name);
    if (made[scoped] !== undefined) return;
    const own = names.filter((other) => Object.hasOwn(manifest.dependencies ?? {}, `@turnsole/${other}`));
    for (const other of own) await build(other);
    await buildPackage(root, folder, placeOf(name), made);
    made[scoped] = placeOf(name);
  };
  for (const name of names) await build(name);
  return Object.values(made);
}

async function readManifest(folder: string): Promise<PackageManifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as PackageManifest;
}

/**
 * Makes one of the project's own packages as it is published, in `directory`, which is replaced as a whole: JavaScript and declarations in
 * `lib/`, README, licence, and a `package.json` that leads to these in place of the sources.
 *
 * @param folder of the package, with `src/` and a `tsconfig.json`
 * @param made where those of its dependencies that are packages of the project were made, by their names: it is compiled against what they publish
 * @throws Error with the compiler's messages
 */
async function buildPackage(
  root: string,
  folder: string,
  directory: string,
  made: Readonly<Record<string, string>> = {},
): Promise<void> {
  const fresh = `${directory}.new-${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  try {
    await compile(root, folder, fresh, made);
    await copyAssets(join(folder, 'src'), join(fresh, 'lib'));
    const manifest = await readManifest(folder);
    await writeFile(
      join(fresh, 'package.json'),
      `${JSON.stringify(publishedManifest(manifest), undefined, 2)}\n`,
    );
    await cp(join(folder, 'README.md'), join(fresh, 'README.md'));
    await cp(join(root, 'LICENSE'), join(fresh, 'LICENSE'));
    await rm(directory, { recursive: true, force: true });
    await rename(fresh, directory);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function compile(
  root: string,
  folder: string,
  directory: string,
  made: Readonly<Record<string, string>>,
): Promise<void> {
  const compiler = join(root, 'node_modules', '.bin', 'tsc');
  const project = join(directory, 'tsconfig.json');
  await writeFile(project, JSON.stringify(projectOf(root, folder, directory, made)));
  try {
    await run(compiler, ['-p', project]);
    await rm(project);
  } catch (cause) {
    const { stdout = '' } = cause as { readonly stdout?: string };
    throw new Error(`cannot compile ${folder}: ${stdout.trim()}`, { cause });
  }
}

/** The compiler's project of a package, in another folder than the package's. Pure. */
function projectOf(
  root: string,
  folder: string,
  directory: string,
  made: Readonly<Record<string, string>>,
): object {
  const paths = Object.entries(made).flatMap(([name, place]) => [
    [name, [join(place, 'lib', 'index.d.ts')]],
    [`${name}/*`, [join(place, 'lib', '*.d.ts')]],
  ]);
  return {
    extends: join(folder, 'tsconfig.json'),
    compilerOptions: {
      rootDir: join(folder, 'src'),
      outDir: join(directory, 'lib'),
      typeRoots: [join(root, 'node_modules', '@types')],
      paths: Object.fromEntries(paths),
    },
    include: [join(folder, 'src')],
    exclude: [join(folder, 'src/**/*.test.ts'), join(folder, 'src/**/testing')],
  };
}

/** Files that code finds by their URL: programs that Node is to load before another one, and generated data. */
async function copyAssets(sources: string, compiled: string): Promise<void> {
  for await (const path of glob('**/*.{cjs,br}', { cwd: sources }))
    await cp(join(sources, path), join(compiled, path));
}

/** The manifest whose exports lead to what was compiled. Pure. */
export function publishedManifest(manifest: PackageManifest): PackageManifest {
  const kept = Object.entries(manifest).filter(([field]) => !OF_THE_CHECKOUT.includes(field));
  const entries = Object.entries(manifest.exports ?? {}).map(([name, source]) => {
    const compiled = source.replace(/^\.\/src\/(.*)\.ts$/, './lib/$1');
    return [name, { types: `${compiled}.d.ts`, default: `${compiled}.js` }];
  });
  // In the checkout it would make the bundle drop the imports that keep what pods load in few files (pod-start.ts).
  const added = { files: ['lib'], sideEffects: false };
  return { ...Object.fromEntries(kept), ...added, exports: Object.fromEntries(entries) };
}
