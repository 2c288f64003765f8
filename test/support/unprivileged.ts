import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { hasSubIds } from '@turnsole/cluster/rootless/sub-ids';
import { findProgram, readOrEmpty } from '@turnsole/kube/base/machine';
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

/**
 * Starts a command where nobody may make user namespaces, as on machines whose administrator does not want that: the kernel gives none to a
 * process whose root is not that of its mounts.
 */
const WITHOUT_NAMESPACES = [
  'unshare',
  '-m',
  '/bin/sh',
  '-c',
  'mount --rbind / "$0" && exec chroot "$0" /bin/sh -c \'cd "$0" && exec "$@"\' "$PWD" "$@"',
];

/** Starts a command that sees other files in the place of some: arguments are pairs of paths, `--`, and the command. */
const WITH_FILES = [
  'unshare',
  '-m',
  '/bin/sh',
  '-c',
  'while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit 1; shift 2; done; shift; exec "$@"',
  'sh',
];

/** Why a user cannot have further ids here; false when he can. */
export function whyNoSubIds(): string | false {
  if (['newuidmap', 'newgidmap'].some((name) => findProgram(name) === undefined))
    return 'newuidmap (package uidmap) is not there';
  const files = ['/etc/subuid', '/etc/subgid'];
  if (process.getuid?.() === 0)
    return files.every((path) => existsSync(path)) ? false : `${files.join(', ')} are not there`;
  const user = { uid: process.getuid?.() ?? 0, name: userInfo().username };
  return files.every((path) => hasSubIds(readOrEmpty(path), user)) ? false : 'this user has no sub-ids';
}

/** Why a user's cluster cannot have connections outward here by pasta; false when it can. */
export function whyNoPasta(): string | false {
  if (findProgram('pasta') === undefined) return 'pasta (package passt) is not there';
  if (!existsSync(TUNNEL)) return `${TUNNEL} is not there`;
  if (process.getuid?.() === 0) return false;
  return (statSync(TUNNEL).mode & 0o006) === 0o006 ? false : `this user may not open ${TUNNEL}`;
}

/** Why a user cannot be kept from namespaces here; false when he can. */
export const cannotWithholdNamespaces: string | false =
  process.platform === 'linux' && process.getuid?.() === 0
    ? false
    : 'taking namespaces from a user takes root';

/**
 * The user of this test, or `nobody` in the place of root.
 *
 * @param namespaces whether he may make namespaces of his own, where the machine lets him
 * @param subIds whether `nobody` has further ids; another user of the test has them or not, see {@link whyNoSubIds}
 * @param tunnel whether `nobody` may make links that programs carry; another user of the test may or not, see {@link whyNoPasta}
 */
export async function unprivilegedUser({
  namespaces = true,
  subIds = false,
  tunnel = false,
}: {
  readonly namespaces?: boolean;
  readonly subIds?: boolean;
  readonly tunnel?: boolean;
} = {}): Promise<Somebody> {
  const folder = await temporaryFolder();
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    await chmod(folder.path, 0o755);
    await chown(folder.path, NOBODY, NOBODY);
  }
  return {
    prefix: [
      ...(isRoot
        ? withFiles([
            ...(subIds ? await subIdsOfNobody(folder.path) : []),
            ...(tunnel ? openTunnel(folder.path) : []),
          ])
        : []),
      ...(namespaces ? [] : [...WITHOUT_NAMESPACES, await otherRoot(folder.path)]),
      ...(isRoot ? AS_NOBODY : []),
    ],
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

/** A file, and what it is shown in the place of. */
type Shown = readonly [file: string, at: string];

function withFiles(shown: readonly Shown[]): readonly string[] {
  return shown.length === 0 ? [] : [...WITH_FILES, ...shown.flat(), '--'];
}

async function subIdsOfNobody(folder: string): Promise<readonly Shown[]> {
  const path = join(folder, 'sub-ids');
  await writeFile(path, `${NOBODY}:${1 << 20}:65536\n`);
  return [
    [path, '/etc/subuid'],
    [path, '/etc/subgid'],
  ];
}

const TUNNEL = '/dev/net/tun';

/** The device with the rights that it has on most machines. */
function openTunnel(folder: string): readonly Shown[] {
  const path = join(folder, 'tunnel');
  execFileSync('mknod', ['-m', '666', path, 'c', '10', '200']);
  return [[path, TUNNEL]];
}

/** An empty folder to mount the root at, out of the way of what looks into the user's. */
async function otherRoot(folder: string): Promise<string> {
  const path = join(folder, 'root');
  await mkdir(path);
  return path;
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
