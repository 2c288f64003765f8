import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { findProgram } from '@turnsole/kube/base/machine';
import { commandLine } from '@turnsole/kube/text/shell';
import { KNOWN_IMAGES_VARIABLE, knownImagesText } from '../../../chaos/known-images.ts';
import {
  UPSTREAM_PROGRAMS,
  UPSTREAM_WORKDIR,
  type UpstreamProgram,
} from '../../../chaos/upstream-programs.ts';
import { IS_BUNDLED, PACKAGE_ROOT } from '../../../process/package-root.ts';
import { makeFolders } from '../../make-folders.ts';
import type { ImageEntry } from './image-entry.ts';
import { kubectlProgram } from './kubectl.ts';

export { PACKAGE_ROOT } from '../../../process/package-root.ts';

/** Images whose processes are the host's own shell and tools. */
const HOST_SHELL_IMAGES = ['busybox', 'alpine', 'debian', 'ubuntu', 'bash', 'turnsole/shell'] as const;

/** Turnsole's image: it has all components, and upstream's programs at their places. */
const TURNSOLE_IMAGES = ['turnsole', 'turnsole/turnsole'] as const;

/** Images that run Turnsole's code. */
const OWN_IMAGES = [...TURNSOLE_IMAGES, ...new Set(UPSTREAM_PROGRAMS.flatMap(({ images }) => images))];

/** Of these helpers of node faults may start, which stop and start nodes. */
const REACH_MACHINE: readonly string[] = [...TURNSOLE_IMAGES, 'litmuschaos/go-runner'];

/** Images of the steps of Litmus' workflows that run Turnsole's code. They give no promise about chaos, so no runner asks for them. */
const STEP_IMAGES = ['litmus-checker', 'litmus-app-deployer'] as const;

/** Images that hold kubectl and a shell: the host's kubectl, or where it has none Turnsole's small one. */
const KUBECTL_IMAGES = [
  'litmuschaos/k8s',
  'alpine/k8s',
  'lachlanevenson/k8s-kubectl',
  'bitnami/kubectl',
] as const;

/** Images whose entry point is k6; there where this host has k6. */
const K6_IMAGES = ['grafana/k6', 'grafana/k6-operator'] as const;

/**
 * Where a container with a root of its own sees the folder of the built-in images: not at its place on the host, which may be below
 * `/tmp`. There it would be found by programs that take all of `/tmp`, and be lost under a volume that is mounted at it.
 */
export const IMAGES_IN_CONTAINER = '/usr/libexec/turnsole';

/** Where the built-in images keep the few files they need. */
interface BuiltInImageOptions {
  /** Folder of this cluster for them; made when missing. */
  readonly directory: string;
  /** Names of the user's own images, which win over built-in ones of the same name. @default none */
  readonly userImages?: Iterable<string>;
  /** @default the caller's */
  readonly env?: NodeJS.ProcessEnv;
}

/** The built-in catalogue, and the search path that gives containers `node` and `turnsole`. */
interface BuiltInImages {
  readonly entries: ReadonlyMap<string, ImageEntry>;
  /** The images that run Turnsole's code, and the user's as exceptions (TURNSOLE_KNOWN_IMAGES). */
  readonly knownImages: readonly string[];
  /** The folder of their files, of which {@link containerPath} has one in front of PATH. */
  readonly directory: string;
}

/**
 * Writes the files of the built-in images and gives their catalogue: Turnsole's own images, upstream's runner,
 * exporter, operator and experiment images (which run Turnsole's code), Node, samples, and the host's shell.
 */
export function builtInImages(options: BuiltInImageOptions): BuiltInImages {
  const { directory, env = process.env } = options;
  // With this Node, and not that of the machine, which may be too old.
  const turnsole = [process.execPath, join(PACKAGE_ROOT, 'bin', 'turnsole.js')];
  const binDirectory = join(directory, BIN);
  mkdirSync(binDirectory, { recursive: true, mode: 0o755 });
  link(process.execPath, join(binDirectory, 'node'));
  script(join(binDirectory, 'turnsole'), turnsole);

  const knownImages = [...OWN_IMAGES, ...[...(options.userImages ?? [])].map((name) => `!${name}`)];
  const cache = { NODE_COMPILE_CACHE: compileCacheDirectory(env) };
  // Whichever operator started it, a component here knows which images are Turnsole's.
  // The shell around the steps of workflows is this machine's, as are the programs of all images.
  const own = {
    ...cache,
    [KNOWN_IMAGES_VARIABLE]: knownImagesText(knownImages),
    TURNSOLE_BUSYBOX: 'host',
  };
  const component = (...args: string[]): ImageEntry => ({ entrypoint: [...turnsole, ...args], env: own });
  // Node strips no types below node_modules, so the bundle has these as JavaScript.
  const samples = IS_BUNDLED ? join('dist', 'images') : join('examples', 'images');
  const sample = (name: string): ImageEntry => ({
    entrypoint: [process.execPath, join(PACKAGE_ROOT, samples, `${name}${IS_BUNDLED ? '.js' : '.ts'}`)],
    env: cache,
  });
  const ownEntry = (name: string): ImageEntry => {
    const held = UPSTREAM_PROGRAMS.filter(({ images }) => images.includes(name));
    const isTurnsole = held.length === 0;
    const [first] = held;
    const { programs, folders } = writePrograms(
      join(directory, PROGRAMS, isTurnsole ? 'turnsole' : basename(name)),
      isTurnsole ? UPSTREAM_PROGRAMS : held,
      turnsole,
    );
    const workingDir = folders.get(UPSTREAM_WORKDIR);
    return {
      ...(first === undefined || first.isEntryPoint === false ? component() : component(first.component)),
      programs,
      ...(workingDir !== undefined && { workingDir }),
      ...(REACH_MACHINE.includes(name) && { reachesMachine: true }),
    };
  };
  const entries = new Map<string, ImageEntry>([
    ...OWN_IMAGES.map((name) => [name, ownEntry(name)] as const),
    ['node', { entrypoint: [process.execPath] }],
    ['turnsole/node', { entrypoint: [process.execPath] }],
    ['turnsole/sample-web', sample('sample-web')],
    ['turnsole/sample-load', component('load')],
  ]);
  for (const name of STEP_IMAGES) entries.set(`litmuschaos/${name}`, component(name));
  const kubectl = findProgram('kubectl', env.PATH ?? '');
  program(
    join(binDirectory, 'kubectl'),
    kubectlProgram(commandLine(kubectl === undefined ? [...turnsole, 'kubectl'] : [kubectl])),
  );
  for (const name of KUBECTL_IMAGES) entries.set(name, { entrypoint: [], args: ['/bin/sh'], env: cache });
  const k6 = findProgram('k6', env.PATH ?? '');
  if (k6 !== undefined) for (const name of K6_IMAGES) entries.set(name, { entrypoint: [k6] });
  for (const name of HOST_SHELL_IMAGES) entries.set(name, { entrypoint: [], args: ['/bin/sh'] });
  return { entries, knownImages, directory };
}

/**
 * Folder of the current user in which Node keeps compiled code, so that Turnsole's processes start in half the time.
 * The same as that of the command itself (bin/turnsole.js): the one that the user has set for Node, else one below the user's cache
 * folder; below the temp folder for users without a home.
 */
export function compileCacheDirectory(env: NodeJS.ProcessEnv): string {
  const { NODE_COMPILE_CACHE } = env;
  if (NODE_COMPILE_CACHE !== undefined && isAbsolute(NODE_COMPILE_CACHE)) return NODE_COMPILE_CACHE;
  for (const root of [env.XDG_CACHE_HOME, env.HOME === undefined ? undefined : join(env.HOME, '.cache')]) {
    if (root === undefined || root === '') continue;
    const directory = join(root, 'turnsole', 'compile-cache');
    try {
      makeFolders(directory, 0o700);
      return directory;
    } catch {
      // Read-only or missing home; try the next.
    }
  }
  const directory = join(tmpdir(), `turnsole-cache-${userInfo().uid}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

const BIN = 'bin';
const PROGRAMS = 'programs';

/**
 * PATH of containers that see the catalogue's folder there: its commands, then those of the image, then the host's.
 *
 * @param programs folders of the image's own programs, as the container sees them
 */
export function containerPath(
  directory: string,
  env: NodeJS.ProcessEnv,
  programs: readonly string[] = [],
): string {
  const host = env.PATH ?? '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  return [join(directory, BIN), ...programs, host].join(delimiter);
}

/**
 * Writes the programs of an image, each in a folder of `directory` named like the one that upstream's image has it in.
 *
 * @returns each program's file by its path in the image, and each folder by its path
 */
function writePrograms(
  directory: string,
  held: readonly UpstreamProgram[],
  turnsole: readonly string[],
): { readonly programs: Readonly<Record<string, string>>; readonly folders: ReadonlyMap<string, string> } {
  const folders = new Map(
    held.map(({ path }) => [dirname(path), join(directory, basename(dirname(path)))] as const),
  );
  for (const folder of folders.values()) mkdirSync(folder, { recursive: true, mode: 0o755 });
  const programs = held.map(({ path, component }) => {
    const file = join(folders.get(dirname(path)) ?? directory, basename(path));
    script(file, [...turnsole, component]);
    return [path, file] as const;
  });
  return { programs: Object.fromEntries(programs), folders };
}

function script(path: string, command: readonly string[]): void {
  program(path, `exec ${commandLine(command)} "$@"\n`);
}

function program(path: string, text: string): void {
  writeFileSync(path, `#!/bin/sh\n${text}`);
  chmodSync(path, 0o755);
}

function link(target: string, path: string): void {
  if (!existsSync(path)) symlinkSync(target, path);
}
