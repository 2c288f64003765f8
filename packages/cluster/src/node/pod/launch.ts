import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Container, Pod, Service } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import { containerEnvironment } from '../env/container-env.ts';
import type { PodPlacement } from '../env/downward.ts';
import { serviceVariables } from '../env/service-variables.ts';
import { locateShell } from '../images/command.ts';
import { nonRootProblem } from '../images/image-user.ts';
import { MACHINE_SOCKET_VARIABLE } from '../machine/embedded-node.ts';
import { CONTAINER_ID_VARIABLE } from '../runtime/orphaned-processes.ts';
import type { ContainerLaunch, LaunchMount, PodSandbox } from '../runtime/types.ts';
import type { PodVolumes } from '../volumes/pod-volumes.ts';
import { imageLaunch } from './image-launch.ts';
import type { ResolvedImage } from './image-resolution.ts';
import { LaunchError } from './launch-error.ts';
import type { LaunchSettings } from './launch-settings.ts';
import { makeStandInFolders, standInLaunch } from './stand-in-launch.ts';

/** Input of one container's launch. */
interface LaunchInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly image: ResolvedImage;
  readonly sandbox: PodSandbox;
  readonly volumes: PodVolumes;
  readonly placement: PodPlacement;
  readonly settings: LaunchSettings;
}

/**
 * A container that would run as root and must not, in kubelet's words. As whom a stand-in would run is not known here, so that alone refuses
 * nothing.
 *
 * @throws LaunchError
 */
function refuseRoot(pod: Pod, { name, securityContext: own }: Container, image: ResolvedImage): void {
  const ofPod = pod.spec?.securityContext;
  if ((own?.runAsNonRoot ?? ofPod?.runAsNonRoot) !== true) return;
  const asked = own?.runAsUser ?? ofPod?.runAsUser;
  const ofImage = image.kind === 'stored' ? nonRootProblem(image.lease.image.config.user ?? '') : undefined;
  const problem = asked === 0 ? `container's runAsUser breaks non-root policy` : (asked ?? ofImage);
  if (typeof problem !== 'string') return;
  const { name: podName, namespace, uid } = pod.metadata;
  const message = `${problem} (pod: "${podName}_${namespace}(${uid})", container: ${name})`;
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
      makeStandInFolders(root, container);
      volumes.mount(container, root, variables);
    }
  } catch (error) {
    const message = messageOf(error);
    throw new LaunchError('CreateContainerConfigError', message, { cause: error });
  }
  refuseRoot(pod, container, image);
  const mayReachMachine =
    container.securityContext?.privileged === true ||
    (image.kind === 'stand-in' && image.entry.reachesMachine === true);
  const machine = mayReachMachine ? settings.machineSocket : undefined;
  const machineAndMounts = [...machineMounts(machine), ...mounts];
  const parts =
    image.kind === 'stored'
      ? imageLaunch({ pod, container, variables, mounts: machineAndMounts }, image.lease)
      : standInLaunch(
          { pod, container, variables, mounts: machineAndMounts, sandbox, volumes, settings },
          image.entry,
        );
  const env: Record<string, string> = {
    ...parts.baseEnv,
    HOSTNAME: pod.spec?.hostNetwork === true ? hostname() : (pod.spec?.hostname ?? pod.metadata.name),
    ...(container.tty === true ? { TERM: 'xterm' } : {}),
    ...parts.imageEnv,
    ...Object.fromEntries(variables),
    [CONTAINER_ID_VARIABLE]: id,
    TURNSOLE_POD_ROOT: root,
    ...(machine && { [MACHINE_SOCKET_VARIABLE]: sandbox.hasOwnRoot ? MACHINE_IN_CONTAINER : machine }),
  };
  if (!sandbox.hasOwnRoot) addPreload(env, input);
  const { command, workingDirectory, root: rootParts, temp, stopSignal } = parts;
  if (command.length === 0 || command[0] === '') {
    throw new LaunchError('CreateContainerError', `no command specified for container ${container.name}`);
  }
  return {
    container: container.name,
    id,
    command: image.kind === 'stored' ? command : locateShell(command, env.PATH ?? ''),
    env,
    workingDirectory,
    ...(rootParts && { root: rootParts }),
    ...(temp && { temp }),
    ...(stopSignal !== undefined && { stopSignal }),
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

/** Where a container with a root of its own finds the machine's socket, wherever the cluster's folder is on the host. */
const MACHINE_IN_CONTAINER = '/run/turnsole/machine.sock';

function machineMounts(path: string | undefined): LaunchMount[] {
  return path === undefined ? [] : [{ source: path, target: MACHINE_IN_CONTAINER, readOnly: false }];
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

/** NODE_OPTIONS is split at blanks; a path with some must be in quotes, with backslashes before quotes. */
function quoteOption(path: string): string {
  return /[\s"\\]/.test(path) ? `"${path.replace(/["\\]/g, '\\$&')}"` : path;
}
