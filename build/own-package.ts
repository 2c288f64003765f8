import { execFile } from 'node:child_process';
import { cp, glob, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A `package.json`, of which only these fields are looked at. */
interface PackageManifest {
  readonly exports?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** Fields that serve the checkout only: there the package is run from its sources, and never published from there. */
const OF_THE_CHECKOUT = ['private', 'devDependencies'];

/**
 * Makes one of the project's own packages as it is published, in `directory`, which is replaced as a whole: JavaScript and declarations in
 * `lib/`, README, licence, and a `package.json` that leads to these in place of the sources.
 *
 * @param folder of the package, with `src/` and a `tsconfig.json`
 * @throws Error with the compiler's messages
 */
export async function buildPackage(root: string, folder: string, directory: string): Promise<void> {
  const fresh = `${directory}.new-${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  try {
    await compile(root, folder, join(fresh, 'lib'));
    await copyPrograms(join(folder, 'src'), join(fresh, 'lib'));
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as PackageManifest;
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

async function compile(root: string, folder: string, outDir: string): Promise<void> {
  const compiler = join(root, 'node_modules', '.bin', 'tsc');
  try {
    await run(compiler, ['-p', folder, '--outDir', outDir]);
  } catch (cause) {
    const { stdout = '' } = cause as { readonly stdout?: string };
    throw new Error(`cannot compile ${folder}: ${stdout.trim()}`, { cause });
  }
}

/** Files that code finds by their URL are JavaScript already: those that Node is to load before a program. */
async function copyPrograms(sources: string, compiled: string): Promise<void> {
  for await (const path of glob('**/*.cjs', { cwd: sources }))
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
