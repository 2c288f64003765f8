/**
 * The few programs that begin a container inside of its root. An image need not have any of them: one of a single static program has not even a
 * shell. They are the host's, copied once for a cluster with the libraries that they are linked to, and started by the host's own loader,
 * which is told where the libraries are; so nothing of the image, and no version of a library in it, matters to them.
 */
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '@turnsole/kube/base/machine';
import { messageOf } from '@turnsole/kube/text/error-message';
import { makeFolder } from '../../volumes/folders.ts';
import { RuntimeError } from '../types.ts';

/** Programs with which a container begins; `script` makes its terminals, and may be missing. */
const REQUIRED = ['sh', 'setpriv', 'env', 'umount'] as const;
const OPTIONAL = ['script'] as const;

/** Where containers see the tools. */
export const TOOLS_IN_CONTAINER = '/.turnsole';

/** An empty folder among them, at which the root of the host is for a moment. */
export const OLD_ROOT = `${TOOLS_IN_CONTAINER.slice(1)}/old`;

/** Tools of containers of images. */
export interface ContainerTools {
  /** Folder of the host that containers see at {@link TOOLS_IN_CONTAINER}. */
  readonly folder: string;
  /** The words that run a tool inside of a container. */
  words(tool: string): readonly string[];
  has(tool: string): boolean;
}

const run = promisify(execFile);

/** Copies the tools to a new folder. @throws RuntimeError with what is missing */
export async function makeContainerTools(folder: string): Promise<ContainerTools> {
  const [bin, lib] = [join(folder, 'bin'), join(folder, 'lib')];
  for (const made of [folder, bin, lib, join(folder, 'old')]) makeFolder(made, 0o755);
  const loaders = new Map<string, string | undefined>();
  const copyTool = async (tool: string): Promise<boolean> => {
    const found = findProgram(tool);
    if (found === undefined) return false;
    const { loader, libraries } = await linkedTo(found);
    copy(found, join(bin, tool));
    for (const path of libraries) copy(path, join(lib, basename(path)));
    if (loader !== undefined) copy(loader, join(lib, basename(loader)));
    loaders.set(tool, loader && basename(loader));
    return true;
  };
  try {
    const missing: string[] = [];
    for (const tool of REQUIRED) if (!(await copyTool(tool))) missing.push(tool);
    if (missing.length > 0) throw new Error(`${missing.join(', ')} not found in PATH`);
    for (const tool of OPTIONAL) await copyTool(tool);
  } catch (cause) {
    const why = `cannot copy the programs that containers begin with: ${messageOf(cause)}`;
    throw new RuntimeError(why, { cause });
  }
  return {
    folder,
    words: (tool) => toolWords(tool, loaders.get(tool)),
    has: (tool) => loaders.has(tool),
  };
}

/** Pure. @param loader name of the loader's file; undefined for a static program */
function toolWords(tool: string, loader: string | undefined): readonly string[] {
  const program = `${TOOLS_IN_CONTAINER}/bin/${tool}`;
  if (loader === undefined) return [program];
  return [`${TOOLS_IN_CONTAINER}/lib/${loader}`, '--library-path', `${TOOLS_IN_CONTAINER}/lib`, program];
}

function copy(from: string, to: string): void {
  copyFileSync(realpathSync(from), to);
  chmodSync(to, 0o755);
}

/** The files that a program needs to be loaded. */
interface LinkedFiles {
  readonly loader: string | undefined;
  readonly libraries: readonly string[];
}

async function linkedTo(program: string): Promise<LinkedFiles> {
  try {
    const { stdout } = await run('ldd', [program], { env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' } });
    return parseLdd(stdout);
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    // What `ldd` says of static programs.
    if (/not a (?:valid )?dynamic/i.test(stdout + stderr)) return { loader: undefined, libraries: [] };
    throw error;
  }
}

/**
 * Reads what `ldd` (of glibc or musl) says; pure. Of musl the loader is its library as well.
 *
 * @throws Error for a library that was not found
 */
export function parseLdd(text: string): LinkedFiles {
  const libraries = new Set<string>();
  let loader: string | undefined;
  for (const line of text.split('\n').map((found) => found.trim())) {
    if (line.endsWith('not found')) throw new Error(`a library is missing: ${line}`);
    const [, name = '', target] = /^(\S+)(?: => (\S+))? \(0x[0-9a-f]+\)$/.exec(line) ?? [];
    const path = target ?? name;
    if (!path.startsWith('/')) continue;
    if (/^ld(?:-|64|\.)/.test(basename(path))) loader = path;
    else libraries.add(path);
  }
  return { loader, libraries: [...libraries] };
}
