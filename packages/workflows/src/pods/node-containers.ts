import type { Container, EnvVar, VolumeMount } from '@turnsole/kube/kinds/core';
import { parseDuration } from '@turnsole/kube/text/duration';
import { messageOf } from '@turnsole/kube/text/error-message';
import { isFetched } from '../artifacts/location.ts';
import type { CreatePod } from '../engine/change.ts';
import type { Template } from '../kinds/template.ts';
import type { Workflow } from '../kinds/workflow.ts';
import { type Collection, type HelperUse, isWrapping } from './collection.ts';
import { type MainContainer, mainContainers, sideContainers, withMounts, withStepEnv } from './containers.ts';
import { fileMounts, type MountedFile } from './files.ts';
import {
  fetchedMounts,
  initContainer,
  ownContainer,
  SHARED_MOUNT,
  waitContainers,
  wrapped,
} from './helper.ts';
import { PodError } from './pod-error.ts';
import type { PodSettings } from './settings.ts';

interface NodeContainers {
  readonly initContainers: Container[];
  readonly containers: Container[];
}

/**
 * The containers of a node's pod: the user's own, with the helper's around them where it is needed.
 *
 * @throws PodError
 */
export function nodeContainers(
  action: CreatePod,
  workflow: Workflow,
  how: Collection,
  files: readonly MountedFile[],
  stores: readonly VolumeMount[],
  settings: PodSettings,
): NodeContainers {
  const { template } = action;
  const env: EnvVar[] = [
    { name: 'ARGO_NODE_ID', value: action.node },
    { name: 'ARGO_WORKFLOW_NAME', value: workflow.metadata.name },
    ...(settings.env?.(workflow, action.node) ?? []),
  ];
  const order = [...fileMounts(files.filter(({ key }) => key === 'order.json')), ...stores];
  const plain = ownMain(template, settings, order) ?? mainContainers(template, settings.mainContainer);
  const ofMain = mainOf(plain)?.volumeMounts ?? [];
  const inputs = inputMounts(template, files, ofMain);
  const mains = plain.map((one) => withInputs(one, inputs));
  const mirrored = (mainOf(mains) ?? mains[0]?.container)?.volumeMounts ?? [];
  const inits = sideContainers(template.initContainers, mirrored).map((one) => withMounts(one, inputs));
  const sidecars = sideContainers(template.sidecars, mirrored);
  const inEnv = (container: Container): Container => withStepEnv(container, env);
  const before = inits.map(inEnv);
  if (how.kind !== 'helper') {
    const all = [...mains.map(({ container }) => container), ...sidecars];
    return { initContainers: before, containers: all.map(inEnv) };
  }
  const { helper } = settings;
  const users = isWrapping(how.uses)
    ? wrappedContainers(template, how.uses, mains, sidecars, settings)
    : mains.map(({ container }) => container);
  return {
    initContainers: [initContainer(helper, how.uses, order, ofMain, env), ...before],
    containers: [...waitContainers(helper, how.uses, order, env), ...users.map(inEnv)],
  };
}

function wrappedContainers(
  template: Template,
  uses: readonly HelperUse[],
  mains: readonly MainContainer[],
  sidecars: readonly Container[],
  settings: PodSettings,
): Container[] {
  const { outputs } = template;
  // In a set, results and outputs are those of main; logs are kept of all.
  const ofOthers = uses.filter((use) => use === 'logs');
  const again = retryOf(template);
  const retry = again && { retry: again };
  const until = mains.map(({ container }) => container.name);
  return [
    ...mains.map(({ container, after }) =>
      wrapped(
        container,
        container.name === 'main'
          ? { after, uses, outputs, beside: besideMain(mains), ...retry }
          : { after, uses: ofOthers, ...retry },
        settings,
      ),
    ),
    ...sidecars.map((container) => wrapped(container, { until }, settings)),
  ];
}

/** Containers of a set that may still run when main has ended: all that do not wait for it, nor for one that does. */
function besideMain(mains: readonly MainContainer[]): string[] {
  const later = new Set(['main']);
  // An order without cycles is known after as many rounds as the set has containers.
  for (let round = 0; round < mains.length; round += 1) {
    for (const { container, after } of mains)
      if (after.some((name) => later.has(name))) later.add(container.name);
  }
  return mains.map(({ container }) => container.name).filter((name) => !later.has(name));
}

/** How often commands of a set are tried again inside of their pod. @throws PodError */
function retryOf({ containerSet }: Template): { count: number; pauseSeconds: number } | undefined {
  const { retries = 0, duration = '0' } = containerSet?.retryStrategy ?? {};
  const count = Number(retries);
  if (!Number.isInteger(count) || count < 0)
    throw new PodError(`containerSet.retryStrategy.retries: ${JSON.stringify(retries)} is no number`);
  if (count === 0) return undefined;
  try {
    return { count, pauseSeconds: parseDuration(duration) / 1000 };
  } catch (cause) {
    throw new PodError(`containerSet.retryStrategy.duration: ${messageOf(cause)}`, { cause });
  }
}

/** Resources and data are the work of our own image. */
function ownMain(
  { resource, data }: Template,
  { helper }: PodSettings,
  order: VolumeMount[],
): MainContainer[] | undefined {
  if (resource === undefined && data === undefined) return undefined;
  const command = resource === undefined ? helper.commands.data : helper.commands.resource;
  // A manifest that is fetched needs a place, as the container's root is read-only.
  const mounts = resource?.manifestFrom === undefined ? order : [SHARED_MOUNT, ...order];
  return [{ container: ownContainer('main', helper, command, mounts, []), after: [] }];
}

function mainOf(mains: readonly MainContainer[]): Container | undefined {
  return mains.find(({ container }) => container.name === 'main')?.container;
}

/** Inputs are there for the container named main; of a set, for no other. */
function withInputs(main: MainContainer, inputs: readonly VolumeMount[]): MainContainer {
  return main.container.name === 'main' ? { ...main, container: withMounts(main.container, inputs) } : main;
}

function inputMounts(
  { inputs }: Template,
  files: readonly MountedFile[],
  users: readonly VolumeMount[],
): VolumeMount[] {
  const ofNode = files.filter(({ key }) => key === 'script' || key.startsWith('artifact-'));
  return [...fileMounts(ofNode), ...fetchedMounts((inputs?.artifacts ?? []).filter(isFetched), users)];
}
