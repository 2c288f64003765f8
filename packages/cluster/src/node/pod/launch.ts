import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { Container, Pod, Service } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import { containerEnvironment } from '../env/container-env.ts';
import type { PodPlacement } from '../env/downward.ts';
import type { ReferenceSource } from '../env/references.ts';
import { serviceVariables } from '../env/service-variables.ts';
import { containerPath, IMAGES_IN_CONTAINER } from '../images/built-in.ts';
import { containerCommand, locateShell } from '../images/command.ts';
import type { InstalledImage } from '../images/image-entry.ts';
import { MACHINE_SOCKET_VARIABLE } from '../machine/embedded-node.ts';
import { processIdentity } from '../runtime/isolated/identity.ts';
import { CONTAINER_ID_VARIABLE } from '../runtime/strays.ts';
import type { ContainerLaunch, LaunchMount, PodSandbox } from '../runtime/types.ts';
import { underRoot } from '../volumes/mounts.ts';
import type { PodVolumes } from '../volumes/pod-volumes.ts';

/** Settings that all containers of the cluster share. */
export interface LaunchSettings {
  /** Folder of the built-in images on the host; its commands are in front of PATH. */
  readonly imagesDirectory: string;
  /** Where containers find the API server: where it listens, or its service. */
  readonly apiServer: { readonly host: string; readonly port: number };
  /** File with names and addresses for the preload; see preload.cjs. */
  readonly hostsFile: string;
  /** Path of the preload of Node programs. */
  readonly preload: string;
  /** Services whose variables containers get, by namespace. */
  readonly services: (namespace: string) => readonly Service[];
  readonly references: ReferenceSource;
  /** Socket of the machine, for containers that may reach it (machine/machine-server.ts); undefined without one. */
  readonly machineSocket?: string;
}

/** Input of one container's launch. */
interface LaunchInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly image: InstalledImage;
  readonly sandbox: PodSandbox;
  readonly volumes: PodVolumes;
  readonly placement: PodPlacement;
  readonly settings: LaunchSettings;
}

/** Why a container cannot be created; becomes the reason of its waiting state. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
  readonly reason: 'CreateContainerConfigError' | 'CreateContainerError';

  constructor(reason: LaunchError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * A security context that asks for the user root and forbids it at the same time, in kubelet's words. Whether an image would run as
 * root is not known here, so that alone refuses nothing.
 *
 * @throws LaunchError
 */
function refuseRoot(pod: Pod, { name, securityContext: own }: Container): void {
  const ofPod = pod.spec?.securityContext;
  if ((own?.runAsNonRoot ?? ofPod?.runAsNonRoot) !== true) return;
  if ((own?.runAsUser ?? ofPod?.runAsUser) !== 0) return;
  const { name: podName, namespace, uid } = pod.metadata;
  const message = `container's runAsUser breaks non-root policy (pod: "${podName}_${namespace}(${uid})", container: ${name})`;
  throw new LaunchError('CreateContainerConfigError', message);
}

/**
 * Resolves everything a container refers to and makes its folders and mounts.
 *
 * @throws LaunchError when something it refers to is missing
 */
export async function prepareLaunch(input: LaunchInput): Promise<Omit<ContainerLaunch, 'output'>> {
  const { pod, container, image, sandbox, volumes, settings, placement } = input;
  const id = randomBytes(32).toString('hex');
  const root = sandbox.rootOf(container.name);
  const isPrivateNetwork = pod.spec?.hostNetwork !== true;
  const mayReachMachine = container.securityContext?.privileged === true || image.reachesMachine === true;
  const machine = mayReachMachine ? settings.machineSocket : undefined;
  let variables: Map<string, string>;
  let mounts: readonly LaunchMount[] = [];
  await volumes.renew();
  try {
    variables = await containerEnvironment({
      pod,
      container,
      placement,
      references: settings.references,
      services: podServiceVariables(pod, settings),
    });
    if (sandbox.hasOwnRoot) mounts = volumes.mounts(container, variables);
    else {
      makeFolders(root);
      makeMessageFile(root, container);
      volumes.mount(container, root, variables);
    }
  } catch (error) {
    const message = messageOf(error);
    throw new LaunchError('CreateContainerConfigError', message, { cause: error });
  }
  refuseRoot(pod, container);
  const env: Record<string, string> = {
    PATH: containerPath(
      sandbox.hasOwnRoot ? IMAGES_IN_CONTAINER : settings.imagesDirectory,
      process.env,
      programFolders(image).map((folder) => (sandbox.hasOwnRoot ? inContainer(folder, settings) : folder)),
    ),
    HOME: sandbox.hasOwnRoot ? homeOf(processIdentity(pod, container).uid, readPasswd()) : join(root, HOME),
    ...(sandbox.hasOwnRoot ? {} : { TMPDIR: join(root, TEMP) }),
    HOSTNAME: isPrivateNetwork ? (pod.spec?.hostname ?? pod.metadata.name) : hostname(),
    ...(container.tty === true ? { TERM: 'xterm' } : {}),
    ...image.env,
    ...Object.fromEntries(variables),
    [CONTAINER_ID_VARIABLE]: id,
    TURNSOLE_POD_ROOT: root,
    ...(machine === undefined
      ? {}
      : { [MACHINE_SOCKET_VARIABLE]: sandbox.hasOwnRoot ? MACHINE_IN_CONTAINER : machine }),
  };
  if (!sandbox.hasOwnRoot) addPreload(env, input);
  const words = containerCommand(container, image, variables);
  const command = sandbox.hasOwnRoot ? words : onHost(words, container, root, image.programs);
  if (command.length === 0 || command[0] === '') {
    throw new LaunchError('CreateContainerError', `no command specified for container ${container.name}`);
  }
  return {
    container: container.name,
    id,
    command: locateShell(command, env.PATH ?? ''),
    env,
    ...(sandbox.hasOwnRoot
      ? {
          workingDirectory: container.workingDir || directoryInContainer(image, settings),
          root: {
            pod,
            container,
            mounts: [...cacheMounts(image), ...machineMounts(machine), ...programMounts(image), ...mounts],
            needs: imageNeeds(image).filter((path) => inContainer(path, settings) === path),
          },
        }
      : {
          workingDirectory: workingDirectory(container, image, root),
          ...(image.findsTemp !== true && {
            temp: {
              source: join(root, TEMP),
              needs: [
                ...imageNeeds(image),
                ...cacheMounts(image).map(({ source }) => source),
                ...volumes.sourcesOf(container),
              ],
            },
          }),
        }),
    ...(container.stdin === true ? { stdin: true } : {}),
    ...(container.tty === true ? { tty: true } : {}),
  };
}

/** Node programs without a network of their own resolve names, and listen, by help of the preload. */
function addPreload(env: Record<string, string>, { pod, sandbox, settings }: LaunchInput): void {
  env.TURNSOLE_POD_NAMESPACE = pod.metadata.namespace ?? '';
  env.TURNSOLE_HOSTS_FILE = settings.hostsFile;
  if (pod.spec?.hostNetwork !== true) env.TURNSOLE_POD_IP = sandbox.ip;
  env.NODE_OPTIONS = `--require ${quoteOption(settings.preload)} ${env.NODE_OPTIONS ?? ''}`.trimEnd();
}

/** Code that Node has compiled is kept for the next pod of an image: it halves the start of large programs. */
function cacheMounts({ env }: InstalledImage): LaunchMount[] {
  const folder = env?.NODE_COMPILE_CACHE;
  if (folder === undefined || !existsSync(folder)) return [];
  return [{ source: folder, target: folder, readOnly: false }];
}

/** The image's own programs are at their places, whatever the host has there. */
function programMounts({ programs = {} }: InstalledImage): LaunchMount[] {
  return Object.entries(programs).map(([target, source]) => ({ source, target, readOnly: true }));
}

/** Where a program of an image starts in a container with a root of its own. */
function directoryInContainer(image: InstalledImage, settings: LaunchSettings): string {
  const folder = imageDirectory(image);
  const own = Object.entries(image.programs ?? {}).find(([, file]) => dirname(file) === folder);
  return own === undefined ? inContainer(folder, settings) : dirname(own[0]);
}

function programFolders({ programs = {} }: InstalledImage): string[] {
  return [...new Set(Object.values(programs).map((file) => dirname(file)))];
}

/** Where a container with a root of its own finds the machine's socket, wherever the cluster's folder is on the host. */
const MACHINE_IN_CONTAINER = '/run/turnsole/machine.sock';

function machineMounts(path: string | undefined): LaunchMount[] {
  return path === undefined ? [] : [{ source: path, target: MACHINE_IN_CONTAINER, readOnly: false }];
}

/** Folders of the host that a command of the catalogue is in, or names. */
function imageNeeds({ entrypoint, args = [], workingDir }: InstalledImage): string[] {
  const files = [...entrypoint, ...args].filter((word) => word.startsWith('/') && existsSync(word));
  return [...(workingDir === undefined ? [] : [workingDir]), ...files.map((file) => dirname(file))];
}

/** Where a container with a root of its own sees a path of the host: only the built-in images are elsewhere. */
function inContainer(path: string, { imagesDirectory }: LaunchSettings): string {
  const isBuiltIn = path === imagesDirectory || path.startsWith(`${imagesDirectory}/`);
  return isBuiltIn ? join(IMAGES_IN_CONTAINER, relative(imagesDirectory, path)) : path;
}

/** The home of a user by a text of passwd(5), which is the root where it has none, as container runtimes have it; pure. */
export function homeOf(uid: number, passwd: string): string {
  const entry = passwd.split('\n').find((line) => line.split(':')[2] === String(uid));
  return entry?.split(':')[5] || '/';
}

/** The image of an isolated container is the host. */
function readPasswd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return 'root:x:0:0::/root:';
  }
}

/**
 * Where a program of an image starts in a container with a root of its own: for a command of the user that is the root, as in most
 * images, but a command that names files of the image's folder (`node server.js`) is meant to start there.
 */
export function imageDirectory({
  entrypoint,
  args = [],
  workingDir,
  workingDirIfNamed,
}: InstalledImage): string {
  if (workingDir === undefined || workingDirIfNamed !== true) return workingDir ?? '/';
  const [program = '', ...words] = [...entrypoint, ...args];
  // A program without a slash is looked for in PATH; an option may have a file behind its equals sign.
  const files = [
    ...(program.includes('/') ? [program] : []),
    ...words.map((word) => word.split('=').at(-1) ?? ''),
  ];
  const isIn = (file: string): boolean =>
    file !== '' && !file.startsWith('/') && existsSync(join(workingDir, file));
  return files.some(isIn) ? workingDir : '/';
}

const HOME = 'root';
const TEMP = 'tmp';

/** A container that starts again finds nothing of its last run in its folder for temporary files. */
function makeFolders(root: string): void {
  rmSync(join(root, TEMP), { recursive: true, force: true });
  for (const folder of [HOME, TEMP, 'dev']) mkdirSync(join(root, folder), { recursive: true, mode: 0o755 });
}

/** As a kubelet does, empty before each start: programs that say why they end only write to it where it is. */
function makeMessageFile(root: string, { terminationMessagePath }: Container): void {
  const file = join(root, terminationMessagePath ?? '/dev/termination-log');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
}

/** The API server's real address is a container's way in; other services only where enableServiceLinks allows. */
function podServiceVariables(pod: Pod, settings: LaunchSettings): Map<string, string> {
  const { host, port } = settings.apiServer;
  const links = pod.spec?.enableServiceLinks === false ? [] : settings.services(pod.metadata.namespace ?? '');
  const api: Service = {
    metadata: { name: 'kubernetes' },
    spec: { clusterIP: host, ports: [{ name: 'https', port, protocol: 'TCP' }] },
  };
  return serviceVariables([...links.filter((service) => service.metadata.name !== 'kubernetes'), api]);
}

/**
 * Gives the command with words that are paths below a mount, or those of the image's own programs, replaced by where that is on the host;
 * pure. Without a mount namespace `sh /scripts/run.sh` would find nothing; paths inside longer words stay as they are.
 */
export function onHost(
  command: readonly string[],
  container: Container,
  root: string,
  programs: InstalledImage['programs'] = {},
): string[] {
  const mounts = (container.volumeMounts ?? []).map((mount) => mount.mountPath.replace(/\/+$/, ''));
  const isMounted = (word: string): boolean =>
    mounts.some((mount) => mount !== '' && (word === mount || word.startsWith(`${mount}/`)));
  return command.map((word) =>
    isMounted(word) ? underRoot(root, word) : Object.hasOwn(programs, word) ? (programs[word] ?? word) : word,
  );
}

/**
 * Where the main process starts: the container's working directory below its root if something is mounted there, else
 * on the host if it exists there, else made below the root. Without one it is the image's, then the root itself.
 */
function workingDirectory(container: Container, image: InstalledImage, root: string): string {
  const wanted = container.workingDir;
  if (wanted === undefined || wanted === '') return image.workingDir ?? root;
  const below = underRoot(root, wanted);
  // The machine's `/tmp` is not the container's.
  const isTemp = underRoot('/', wanted).startsWith(`/${TEMP}/`);
  for (const candidate of isTemp ? [below] : [below, wanted]) {
    if (statSync(candidate, { throwIfNoEntry: false })?.isDirectory() === true) return candidate;
  }
  mkdirSync(below, { recursive: true, mode: 0o755 });
  return below;
}

/** NODE_OPTIONS is split at blanks; a path with some must be in quotes, with backslashes before quotes. */
function quoteOption(path: string): string {
  return /[\s"\\]/.test(path) ? `"${path.replace(/["\\]/g, '\\$&')}"` : path;
}
