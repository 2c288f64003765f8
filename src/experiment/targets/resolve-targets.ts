import type { Clock, Random } from '@turnsole/kube/base/clock';
import { isForbidden } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, Node, Pod } from '@turnsole/kube/kinds/core';
import { NODES } from '@turnsole/kube/kinds/resources';
import type { InjectionTarget } from '../../api/index.ts';
import { TargetSelectionError } from '../injection/errors.ts';
import type { Fault } from '../injection/fault.ts';
import type { ExperimentSettings } from '../injection/settings/compile-settings.ts';
import { observePods } from './observe-pods.ts';
import { isToBe, withPodsToBe } from './pods-to-be.ts';
import { resolveWorkloads } from './resolve-workloads.ts';
import { affectedCount } from './sample.ts';
import { selectNodes } from './select-nodes.ts';
import {
  namesPods,
  type ObservedPods,
  type PodCandidate,
  type PodRequest,
  podCandidates,
  selectPods,
} from './select-pods.ts';

/** What target resolution needs. */
interface ResolveTargetsInput {
  readonly client: KubeClient;
  readonly fault: Pick<Fault, 'targets' | 'severalContainers' | 'findTargets'>;
  readonly settings: ExperimentSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** The targets of the round before, for TARGET_PODS of workloads that rename their pods. */
  readonly previous?: readonly InjectionTarget[];
  /** For plans: workloads that will be applied before the run. They become targets without a uid ({@link isToBe}). */
  readonly workloadsToBe?: readonly KubeObject[];
  /** Called with the pods that the targets were chosen from, as they are now. */
  readonly onPods?: (pods: readonly Pod[]) => void;
}

/**
 * Looks at the cluster and gives the targets of one round.
 *
 * @throws TargetSelectionError when nothing can be hit, with what was looked for where
 */
export async function resolveTargets(input: ResolveTargetsInput): Promise<readonly InjectionTarget[]> {
  refuseProtected(input);
  switch (input.fault.targets) {
    case 'none':
      return [];
    case 'resources':
      return resolveResources(input);
    case 'pods':
    case 'containers':
      return resolvePods(input);
    case 'node':
    case 'nodes':
      return resolveNodes(input);
    case 'workloads':
      return resolveScalable(input);
  }
}

async function resolveResources({
  fault,
  settings,
  clock,
  random,
  signal,
}: ResolveTargetsInput): Promise<readonly InjectionTarget[]> {
  return (await fault.findTargets?.(settings.tunables, { clock, random, signal })) ?? [];
}

/** Faults of nodes and resources read TARGETS only to find a node, or to check health; what they hit is no pod of a namespace. */
function refuseProtected({ fault, settings }: ResolveTargetsInput): void {
  if (fault.targets === 'node' || fault.targets === 'nodes' || fault.targets === 'resources') return;
  const { PROTECTED_NAMESPACES, ALLOW_PROTECTED_NAMESPACES, TARGET_PODS } = settings.tunables;
  const own = settings.targets.length === 0 && TARGET_PODS.length > 0 ? [settings.namespace] : [];
  const namespaces = [...settings.targets.map(({ namespace }) => namespace), ...own];
  refuseProtectedNamespaces(
    { protectedNamespaces: PROTECTED_NAMESPACES, allowed: ALLOW_PROTECTED_NAMESPACES },
    namespaces,
  );
}

async function resolvePods(input: ResolveTargetsInput): Promise<readonly InjectionTarget[]> {
  const request = podRequestOf(input);
  const observed = await observeCandidates(input, request);
  input.onPods?.(observed.lists.flat());
  return selectPods(request, observed, input.random);
}

/** The pods of a namespace as they are, and those that a held fault may be on. */
interface FollowedPods {
  readonly pods: readonly Pod[];
  readonly candidates: readonly PodCandidate[];
}

/** Looks for the pods that take the places of targets, by the same choice as these. @throws TargetSelectionError when it cannot look */
export async function followPods(
  input: ResolveTargetsInput,
  followed: readonly InjectionTarget[],
): Promise<FollowedPods> {
  const request = podRequestOf(input);
  const observed = await observePods(input.client, request, input.signal);
  return { pods: observed.lists.flat(), candidates: podCandidates(request, observed, followed) };
}

/** How many pods are meant, of so many candidates; undefined where they were meant by their names. Pure. */
export function shareOf(settings: ExperimentSettings): ((candidates: number) => number) | undefined {
  const { TARGET_PODS: targetPods, PODS_AFFECTED_PERC } = settings.tunables;
  if (namesPods({ targetPods, entries: settings.targets })) return undefined;
  return (candidates) => affectedCount(candidates, PODS_AFFECTED_PERC);
}

async function observeCandidates(input: ResolveTargetsInput, request: PodRequest): Promise<ObservedPods> {
  const observed = await observePods(input.client, request, input.signal);
  return withPodsToBe(request, observed, input.workloadsToBe ?? []);
}

function podRequestOf({ fault, settings, previous }: ResolveTargetsInput): PodRequest {
  const { tunables } = settings;
  return {
    entries: settings.targets,
    targetPods: tunables.TARGET_PODS,
    chaosNamespace: settings.namespace,
    nodeLabel: tunables.NODE_LABEL,
    percentage: tunables.PODS_AFFECTED_PERC,
    order: tunables.POD_TERMINATION_ORDER,
    container: tunables.TARGET_CONTAINER,
    needsContainer: fault.targets === 'containers',
    severalContainers: fault.severalContainers === true,
    ownPod: settings.podName,
    ...optInOf(settings),
    previous,
  };
}

/** The annotation by which applications have to agree, under ANNOTATION_CHECK. */
export function optInOf({ tunables }: ExperimentSettings): Pick<PodRequest, 'optIn'> {
  const { ANNOTATION_CHECK, ANNOTATION_KEY: key, ANNOTATION_VALUE: value } = tunables;
  return ANNOTATION_CHECK ? { optIn: { key, value } } : {};
}

function resolveScalable({ client, settings, signal, workloadsToBe = [] }: ResolveTargetsInput) {
  // A setting of the faults that scale; without it all that match are meant.
  const percentage = Number(settings.tunables.APP_AFFECT_PERC ?? 100);
  const request = { entries: settings.targets, percentage, ...optInOf(settings) };
  return resolveWorkloads(client, request, signal, workloadsToBe);
}

async function resolveNodes(input: ResolveTargetsInput): Promise<readonly InjectionTarget[]> {
  const { client, settings, signal } = input;
  const { TARGET_NODE, TARGET_NODES, NODE_LABEL, NODES_AFFECTED_PERC } = settings.tunables;
  const single = input.fault.targets === 'node';
  const named = single ? TARGET_NODE !== '' : TARGET_NODES.length > 0;
  const fromApp = single && !named && NODE_LABEL === '';
  const [nodes, pods] = await Promise.all([
    named
      ? existingNodes(input, single ? [TARGET_NODE] : TARGET_NODES)
      : fromApp
        ? []
        : client
            .list<Node>(NODES, { signal, ...(NODE_LABEL === '' ? {} : { labelSelector: NODE_LABEL }) })
            .then(({ items }) => items.map(({ metadata }) => metadata.name)),
    fromApp && hasTargets(settings) ? observeAppPods(input) : [],
  ]);
  const appNodes = pods.flatMap(({ node }) => node ?? []);
  // The node of one of these; which one is not known before they run.
  if (appNodes.length === 0 && pods.some(isToBe)) return pods;
  const request = {
    single,
    targetNode: TARGET_NODE,
    targetNodes: TARGET_NODES,
    nodeLabel: NODE_LABEL,
    percentage: NODES_AFFECTED_PERC,
  };
  return selectNodes(request, { nodes, appNodes }, input.random);
}

function hasTargets({ targets, tunables }: ExperimentSettings): boolean {
  return targets.length > 0 || tunables.TARGET_PODS.length > 0;
}

/** The named nodes that exist; all of them where nodes may not be read: then the fault finds out. */
async function existingNodes(
  { client, signal }: ResolveTargetsInput,
  names: readonly string[],
): Promise<readonly string[]> {
  const found = await Promise.all(
    [...new Set(names)].map(async (name) => {
      try {
        return (await client.find(NODES, name, { signal })) === undefined ? [] : [name];
      } catch (error) {
        if (isForbidden(error)) return [name];
        throw error;
      }
    }),
  );
  return found.flat();
}

async function observeAppPods(input: ResolveTargetsInput): Promise<readonly InjectionTarget[]> {
  const request = { ...podRequestOf(input), percentage: 100 };
  return selectPods(request, await observeCandidates(input, request), input.random);
}

/** What decides whether namespaces may be hit. */
interface ProtectionRequest {
  /** PROTECTED_NAMESPACES. */
  readonly protectedNamespaces: readonly string[];
  /** ALLOW_PROTECTED_NAMESPACES: those the user asks for by name all the same. */
  readonly allowed: readonly string[];
}

/**
 * Refuses targets in protected namespaces: a selector that is a little too wide must not take the cluster's own pods. Pure.
 *
 * @throws TargetSelectionError naming the namespaces and the setting that allows them
 */
function refuseProtectedNamespaces(
  { protectedNamespaces, allowed }: ProtectionRequest,
  namespaces: readonly string[],
): void {
  const refused = [...new Set(namespaces)].filter(
    (name) => protectedNamespaces.includes(name) && !allowed.includes(name),
  );
  if (refused.length === 0) return;
  const [what, are] = refused.length === 1 ? ['namespace', 'is'] : ['namespaces', 'are'];
  throw new TargetSelectionError(
    `cannot select targets in ${what} ${refused.join(', ')}: protected by PROTECTED_NAMESPACES ` +
      `(${protectedNamespaces.join(', ')}); if ${refused.join(', ')} ${are} meant, set ALLOW_PROTECTED_NAMESPACES to ` +
      `${refused.join(',')} in the env of the experiment in the ChaosEngine`,
  );
}
