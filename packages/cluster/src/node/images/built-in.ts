import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findProgram } from '@turnsole/kube/base/machine';
import { commandLine } from '@turnsole/kube/text/shell';
import type { InstalledImage } from './image-entry.ts';
import { writeProgram } from './install.ts';
import { kubectlProgram } from './kubectl.ts';

/** Images whose processes are the host's own shell and tools. */
const HOST_SHELL_IMAGES = ['busybox', 'alpine', 'debian', 'ubuntu', 'bash', 'turnsole/shell'] as const;

/** Images whose entry point is Node: the one that runs the cluster. */
const NODE_IMAGES = ['node', 'turnsole/node'] as const;

/** Images that hold kubectl and a shell: the host's kubectl, or where it has none the one that the cluster is given. */
export const KUBECTL_IMAGES = ['alpine/k8s', 'lachlanevenson/k8s-kubectl', 'bitnami/kubectl'] as const;

/** Images whose entry point is k6; there where this host has k6. */
const K6_IMAGES = ['grafana/k6', 'grafana/k6-operator'] as const;

/**
 * Where a container with a root of its own sees the folder of the built-in images: not at its place on the host, which may be below
 * `/tmp`. There it would be found by programs that take all of `/tmp`, and be lost under a volume that is mounted at it.
 */
export const IMAGES_IN_CONTAINER = '/usr/libexec/turnsole';

/** Where the built-in images keep the few files they need. */
interface BuiltInImageOptions {
  /** Folder of this cluster for them, of which {@link containerPath} has one in front of PATH; made when missing. */
  readonly directory: string;
  /** Further commands of all containers: name to the words that are run; `kubectl` counts where this host has none. @default none */
  readonly commands?: ReadonlyMap<string, readonly string[]> | undefined;
  /** @default the caller's */
  readonly env?: NodeJS.ProcessEnv;
}

/** Writes the files of the built-in images and gives their catalogue: Node, kubectl, k6, and the host's shell. */
export function builtInImages(options: BuiltInImageOptions): ReadonlyMap<string, InstalledImage> {
  const { directory, commands = new Map(), env = process.env } = options;
  const bin = join(directory, BIN);
  mkdirSync(bin, { recursive: true, mode: 0o755 });
  // With this Node, and not that of the machine, which may be too old.
  link(process.execPath, join(bin, 'node'));
  for (const [name, command] of commands) {
    if (name !== 'kubectl') writeProgram(join(bin, name), `exec ${commandLine(command)} "$@"\n`);
  }
  const kubectl = kubectlCommand(commands, env);
  if (kubectl !== undefined) writeProgram(join(bin, 'kubectl'), kubectlProgram(commandLine(kubectl)));
  return builtInEntries({ commands, env });
}

/** The catalogue of the built-in images; writes nothing. */
export function builtInEntries({
  commands = new Map(),
  env = process.env,
}: Omit<BuiltInImageOptions, 'directory'>): ReadonlyMap<string, InstalledImage> {
  const entries = new Map<string, InstalledImage>();
  for (const name of NODE_IMAGES) entries.set(name, { entrypoint: [process.execPath] });
  if (kubectlCommand(commands, env) !== undefined) {
    for (const name of KUBECTL_IMAGES) entries.set(name, { entrypoint: [], args: ['/bin/sh'] });
  }
  const k6 = findProgram('k6', env.PATH ?? '');
  if (k6 !== undefined) for (const name of K6_IMAGES) entries.set(name, { entrypoint: [k6] });
  for (const name of HOST_SHELL_IMAGES) entries.set(name, { entrypoint: [], args: ['/bin/sh'] });
  return entries;
}

/** The host's kubectl, or the one that the cluster is given. */
function kubectlCommand(
  commands: ReadonlyMap<string, readonly string[]>,
  env: NodeJS.ProcessEnv,
): readonly string[] | undefined {
  const found = findProgram('kubectl', env.PATH ?? '');
  return found === undefined ? commands.get('kubectl') : [found];
}

const BIN = 'bin';

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

function link(target: string, path: string): void {
  if (!existsSync(path)) symlinkSync(target, path);
}
