import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { faultRegistry } from '../../faults/index.ts';
import { CommandError } from '../../services/errors.ts';
import { nameProblem, registerFault, scaffoldFiles } from './scaffold.ts';
import type { ScaffoldOptions } from './scaffold-options.ts';

const REGISTRY = 'src/faults/index.ts';

/**
 * Writes a fault and its test into a checkout and registers it. Nothing is overwritten.
 *
 * @returns the paths that were written or changed
 * @throws CommandError (bad input) for a name that cannot be used, or a folder that is no checkout
 */
export async function writeScaffold(name: string, options: ScaffoldOptions): Promise<readonly string[]> {
  const root = resolve(options.dir ?? '.');
  const problem = nameProblem(name, [...faultRegistry.keys()]);
  if (problem !== undefined) throw new CommandError(problem, 'OPTION_INVALID');
  if (options.targets === 'containers' && options.shape === 'pulse') {
    const message =
      'there is no scaffold for rounds in containers; begin with a copy of src/faults/pod/container-kill.ts';
    throw new CommandError(message, 'OPTION_INVALID');
  }
  const registry = await readRegistry(root);
  const files = scaffoldFiles(name, options);
  for (const { path } of files) {
    if (await exists(join(root, path))) throw new CommandError(`${path} exists already`, 'SCAFFOLD_REFUSED');
  }
  for (const { path, content } of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content, { flag: 'wx' });
  }
  await writeFile(join(root, REGISTRY), registerFault(registry, name));
  return [...files.map(({ path }) => path), REGISTRY];
}

async function readRegistry(root: string): Promise<string> {
  try {
    return await readFile(join(root, REGISTRY), 'utf8');
  } catch (cause) {
    const message = `${root} is no checkout of the project: there is no ${REGISTRY}; go to its root, or say --dir`;
    throw new CommandError(message, 'SCAFFOLD_REFUSED', { cause });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
