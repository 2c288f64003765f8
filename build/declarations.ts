import { execFile } from 'node:child_process';
import { glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const COMMENT = /\/\*.*?\*\//gs;

/** The folder of the face, with all that its signatures name. */
const FACE = 'src/runs/as-code';

/** `from './types.ts'`, `import('./x.ts')` and a bare import. */
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"\s]+)['"]/g;

/**
 * Writes the declarations of what this package exports into `directory`: those of its face and of what that names, and nothing else of the
 * sources. They name no other package, so that they can be read wherever this package is installed alone.
 *
 * @throws Error when a declaration of the face names something outside of its folder, with the compiler's messages when it does not compile
 */
export async function buildDeclarations(root: string, directory: string): Promise<readonly string[]> {
  const made = await mkdtemp(join(tmpdir(), 'turnsole-types-'));
  try {
    await compile(root, made);
    const files = await reached(join(made, FACE), ['index.d.ts', 'own-fault.d.ts']);
    for (const file of files) {
      const target = join(directory, file);
      await mkdir(dirname(target), { recursive: true });
      // Each file stands beside JavaScript for those who read it: the ending of the sources means nothing there.
      const text = await readFile(join(made, FACE, file), 'utf8');
      await writeFile(target, text.replace(/(['"])(\.[^'"]+)\.ts\1/g, '$1$2.js$1'));
    }
    return files;
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** Reads the files of the face alone: what they import of other rooms stands in none of its declarations. `npm run typecheck` checks them. */
async function compile(root: string, outDir: string): Promise<void> {
  const project = join(outDir, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    noCheck: true,
    noResolve: true,
    incremental: false,
    tsBuildInfoFile: null,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: root,
    outDir,
    typeRoots: [join(root, 'node_modules', '@types')],
  };
  const sources = await Array.fromAsync(glob(join(FACE, '**', '*.ts'), { cwd: root }));
  const files = sources.filter((file) => !file.endsWith('.test.ts')).map((file) => join(root, file));
  await writeFile(
    project,
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] }),
  );
  try {
    await run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', project]);
  } catch (cause) {
    const { stdout = '' } = cause as { readonly stdout?: string };
    throw new Error(`cannot make the declarations of ${FACE}: ${stdout.trim()}`, { cause });
  }
}

/** The files that a declaration names, directly or not, from their folder. */
async function reached(folder: string, entries: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>(entries);
  for (const file of found) {
    const text = await readFile(join(folder, file), 'utf8');
    for (const [, specifier = ''] of text.replace(COMMENT, '').matchAll(SPECIFIER)) {
      const path = relative(folder, join(folder, dirname(file), specifier)).replace(/\.ts$/, '.d.ts');
      if (!specifier.startsWith('.') || path.startsWith('..'))
        throw new Error(
          `${join(FACE, file.replace(/\.d\.ts$/, '.ts'))} names ${specifier} in its declarations; ` +
            `what others see names types of ${FACE} only`,
        );
      found.add(path);
    }
  }
  return [...found].toSorted();
}
