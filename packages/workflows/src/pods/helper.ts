import type { Container, EnvVar, OwnerReference, Volume, VolumeMount } from '@turnsole/kube/kinds/core';
import type { CreatePod } from '../engine/change.ts';
import { ownerReference } from '../kinds/owner-reference.ts';
import type { Artifact, Outputs, Parameter } from '../kinds/parameters.ts';
import type { Template } from '../kinds/template.ts';
import type { Workflow } from '../kinds/workflow.ts';
import { type HelperUse, isCollecting } from './collection.ts';
import type { MountedFile } from './files.ts';
import type { NodeArtifacts } from './node-artifacts.ts';
import { PodError } from './pod-error.ts';
import { RUN_SCRIPT } from './script.ts';
import { type HelperSettings, ORDER_FILE, type PodSettings } from './settings.ts';

/** The order for a node's helper, as JSON at {@link ORDER_FILE}. */
export interface NodeOrder {
  readonly node: string;
  readonly pod: string;
  readonly workflow: string;
  /** Owner of objects that belong to the workflow. */
  readonly owner: OwnerReference;
  readonly namespace?: string;
  /** Names of the main containers. */
  readonly mains: readonly string[];
  readonly uses: readonly HelperUse[];
  readonly artifacts: NodeArtifacts;
  /** Names of inputs whose paths lie on a volume of main: they are put there, as main has it. */
  readonly onVolumes: readonly string[];
  /** Output parameters; the files of main are kept under their index. */
  readonly parameters: readonly Parameter[];
  readonly resource?: Template['resource'];
  readonly data?: Template['data'];
}

/** Folder of the shell, and of what a step leaves. */
export const HOME = '/var/run/turnsole';
const SCRIPT_PATH = '/var/run/turnsole.sh';
const SHARED = 'turnsole';
const FETCHED = 'turnsole-inputs';
/** Where the helper puts fetched artifacts, each under its name. */
export const FETCHED_PATH = '/var/run/turnsole-inputs';
/** Below it, the helper finds the volumes of main where main has them. */
export const MAIN_PATH = '/var/run/turnsole-main';

export const SCRIPT_FILE: MountedFile = {
  key: 'run.sh',
  path: SCRIPT_PATH,
  text: RUN_SCRIPT,
  what: 'the script of the helper',
};

export const SHARED_MOUNT: VolumeMount = { name: SHARED, mountPath: HOME };

/** The order of a node as a file. */
export function orderFile(
  action: CreatePod,
  workflow: Workflow,
  facts: Pick<NodeOrder, 'mains' | 'uses' | 'artifacts' | 'onVolumes'>,
): MountedFile {
  const { outputs, resource, data } = action.template;
  const order: NodeOrder = {
    node: action.node,
    pod: action.podName,
    workflow: workflow.metadata.name,
    owner: ownerReference('Workflow', workflow),
    namespace: workflow.metadata.namespace,
    ...facts,
    parameters: outputs?.parameters ?? [],
    resource,
    data,
  };
  return { key: 'order.json', path: ORDER_FILE, text: JSON.stringify(order), what: 'the order of the node' };
}

/** Volumes that containers and helper share. */
export function sharedVolumes(uses: readonly HelperUse[]): Volume[] {
  const fetched = uses.includes('fetch') ? [{ name: FETCHED, emptyDir: {} }] : [];
  return [{ name: SHARED, emptyDir: {} }, ...fetched];
}

/** Fetched artifacts at their paths; those whose path lies on a volume of the user are put there, and need no mount. */
export function fetchedMounts(artifacts: readonly Artifact[], main: readonly VolumeMount[]): VolumeMount[] {
  return artifacts
    .filter((artifact) => !isCovered(artifact, main))
    .map(({ name, path = '' }) => ({ name: FETCHED, mountPath: path, subPath: name }));
}

/** Whether the path of an artifact lies on one of the volumes. */
export function isCovered({ path = '' }: Artifact, mounts: readonly VolumeMount[]): boolean {
  return mounts.some(({ mountPath }) => isWithin(path, mountPath));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** The volumes that main mounts, for artifacts that lie on them. */
function ofMain(main: readonly VolumeMount[]): VolumeMount[] {
  return main.map((mount) => ({ ...mount, mountPath: `${MAIN_PATH}${mount.mountPath}` }));
}

/** The helper's container before the user's own. `main`: what users mount there. */
export function initContainer(
  helper: HelperSettings,
  uses: readonly HelperUse[],
  order: readonly VolumeMount[],
  main: readonly VolumeMount[],
  env: EnvVar[],
): Container {
  const fetched = uses.includes('fetch') ? [{ name: FETCHED, mountPath: FETCHED_PATH }, ...ofMain(main)] : [];
  return ownContainer('init', helper, helper.commands.init, [SHARED_MOUNT, ...fetched, ...order], env);
}

/** The helper's container beside main: it is there only where something has to be read at the end. */
export function waitContainers(
  helper: HelperSettings,
  uses: readonly HelperUse[],
  mounts: readonly VolumeMount[],
  env: EnvVar[],
): Container[] {
  if (!isCollecting(uses)) return [];
  return [ownContainer('wait', helper, helper.commands.wait, [SHARED_MOUNT, ...mounts], env)];
}

/** A container of our own image. It takes no right from its pod; its user is the one that the pod demands, or that of the image. */
export function ownContainer(
  name: string,
  { image, imagePullPolicy, resources }: HelperSettings,
  command: readonly string[],
  volumeMounts: VolumeMount[],
  env: EnvVar[],
): Container {
  const securityContext: Container['securityContext'] = {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    privileged: false,
    readOnlyRootFilesystem: true,
    seccompProfile: { type: 'RuntimeDefault' },
  };
  return {
    name,
    image,
    imagePullPolicy,
    resources,
    command: [...command],
    env,
    securityContext,
    volumeMounts,
  };
}

/** The work of the shell around a command besides running it. */
interface Wrapping {
  /** Containers that have to have ended well before it starts. */
  readonly after?: readonly string[];
  /** Containers after whose end it is ended. */
  readonly until?: readonly string[];
  /** Containers after whose end what it leaves is kept. */
  readonly beside?: readonly string[];
  readonly uses?: readonly HelperUse[];
  readonly outputs?: Outputs;
  /** How often a command that fails is started again, and how long after its end. */
  readonly retry?: { readonly count: number; readonly pauseSeconds: number };
}

/**
 * A container whose command is run by the helper's shell; its arguments stay.
 *
 * @throws PodError when it is not known what the image starts
 */
export function wrapped(
  container: Container,
  { after = [], until = [], beside = [], uses = [], outputs = {}, retry }: Wrapping,
  settings: Pick<PodSettings, 'images' | 'imageOf'> = {},
): Container {
  const { command, args } = commandOf(container, settings);
  const files = [
    ...(outputs.parameters ?? []).map(({ valueFrom }, index) => ['--parameter', `${index}`, valueFrom?.path]),
    ...(outputs.artifacts ?? []).map(({ path }, index) => ['--artifact', `${index}`, path]),
  ].filter((option): option is string[] => option[2] !== undefined);
  const options = [
    ...(uses.includes('result') ? ['--result'] : []),
    ...(uses.includes('logs') ? ['--logs'] : []),
    ...(retry ? ['--retries', `${retry.count}`, '--pause', `${retry.pauseSeconds}`] : []),
    ...after.flatMap((name) => ['--after', name]),
    ...until.flatMap((name) => ['--until', name]),
    ...(files.length === 0 ? [] : beside.flatMap((name) => ['--beside', name])),
    ...files.flat(),
  ];
  const shell = [`${HOME}/bin/busybox`, 'sh', SCRIPT_PATH, HOME, container.name];
  return {
    ...container,
    command: [...shell, ...options, '--', ...command],
    args,
    volumeMounts: [
      ...(container.volumeMounts ?? []),
      SHARED_MOUNT,
      { name: 'turnsole-files', mountPath: SCRIPT_PATH, subPath: SCRIPT_FILE.key, readOnly: true },
    ],
  };
}

function commandOf(
  { name, image = '', command = [], args }: Container,
  { images = {}, imageOf }: Pick<PodSettings, 'images' | 'imageOf'>,
): { command: readonly string[]; args: string[] | undefined } {
  if (command.length > 0) return { command, args };
  const known = images[image] ?? imageOf?.(image);
  const entrypoint = known?.entrypoint ?? [];
  if (entrypoint.length > 0) return { command: entrypoint, args: args ?? known?.args?.slice() };
  throw new PodError(
    `container ${name}: its command has to be known to read its outputs, to order containers or to end sidecars, and the template names ` +
      `none: write \`command\`, or configure the entrypoint of the image ${image} under \`images\``,
  );
}
