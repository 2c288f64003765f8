import { chmod, chown, mkdir, readdir, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { ownCompileCache } from './compile-cache.ts';
import { temporaryFolder, turnsole } from './turnsole.ts';

/** A user as whom a command is started. */
export interface Somebody extends AsyncDisposable {
  /** Words in front of the command. */
  readonly prefix: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** A folder of his own. */
  readonly folder: string;
}

/** `nobody` nearly everywhere; the number is what counts. */
const NOBODY = 65_534;
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

/** The user of this test, or `nobody` in the place of root. */
export async function unprivilegedUser(): Promise<Somebody> {
  const folder = await temporaryFolder();
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    await chmod(folder.path, 0o755);
    await chown(folder.path, NOBODY, NOBODY);
  }
  return {
    prefix: isRoot ? AS_NOBODY : [],
    env: {
      HOME: folder.path,
      XDG_STATE_HOME: join(folder.path, 'state'),
      XDG_CACHE_HOME: folder.path,
      ...(isRoot ? { NODE_COMPILE_CACHE: await compileCacheOfNobody() } : {}),
    },
    folder: folder.path,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Where {@link suiteCompileCache} has it for `nobody`, who may not write to the folder of root's suite. */
async function compileCacheOfNobody(): Promise<string> {
  const path = ownCompileCache(NOBODY);
  await mkdir(path, { recursive: true, mode: 0o700 });
  for (const one of [dirname(path), path]) await chown(one, NOBODY, NOBODY);
  return path;
}

/** Why a test cannot be run as an unprivileged user; false when it can. */
export async function whyNotUnprivileged(): Promise<string | false> {
  try {
    await using user = await unprivilegedUser();
    const { code, stderr } = await turnsole(['--version'], user.env, user.prefix);
    return code === 0 ? false : `nobody cannot start turnsole: ${stderr.trim().slice(0, 200)}`;
  } catch (error) {
    return `takes setpriv (package util-linux) as root: ${String(error)}`;
  }
}

/** Words that start a command as root without a capability, as in a container that was not given it. */
export function without(capability: string): readonly string[] {
  const name = `-${capability.toLowerCase()}`;
  return ['setpriv', `--bounding-set=${name}`, `--inh-caps=${name}`];
}

/** Makes a folder with links to all programs of PATH but these; gives its path. */
export async function pathWithout(folder: string, missing: readonly string[]): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const made = new Set(missing);
  for (const place of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of await readdir(place).catch(() => [])) {
      if (made.has(name)) continue;
      made.add(name);
      await symlink(join(place, name), join(bin, name));
    }
  }
  return bin;
}
