import type { Random } from '@turnsole/kube/base/clock';
import { objectKey, type Pod } from '@turnsole/kube/kinds/core';
import { lastingContainers } from '@turnsole/kube/kinds/lasting-containers';
import { isActive } from '@turnsole/kube/kinds/pod-phase';
import type { InjectionTarget } from '../../api/index.ts';
import { TargetSelectionError } from '../injection/errors.ts';
import { formatEntry, type TargetEntry } from '../injection/settings/parse-targets.ts';
import { isMeantBy } from './meant-by.ts';
import { chaosRoleOf } from './of-chaos.ts';
import { hasOptedIn, type OptInRule, type OptInWorkloads } from './opt-in.ts';
import { type Intermediates, ownerOf } from './owner.ts';
import { samplePercentage } from './sample.ts';

/** The user's choice of pods. */
export interface PodRequest {
  readonly entries: readonly TargetEntry[];
  readonly targetPods: readonly string[];
  /** Where TARGET_PODS are looked for when TARGETS names no namespace. */
  readonly chaosNamespace: string;
  readonly nodeLabel: string;
  readonly percentage: number;
  readonly order: string;
  /** Name of the container to hit; empty: the first. */
  readonly container: string;
  /** Targets get a container. */
  readonly needsContainer: boolean;
  /** Whether `container` may be a list separated by commas, or `all`. */
  readonly severalContainers?: boolean;
  /** Pod of this process, never a target. */
  readonly ownPod: string;
  /** Only applications that carry this annotation may be hit. */
  readonly optIn?: OptInRule;
  /** The targets of the round before; lets a named pod be followed by its replacement. */
  readonly previous?: readonly InjectionTarget[];
}

/** The observed part of the cluster, at about one time. */
export interface ObservedPods extends Intermediates {
  /** The pods of each entry of the request, in its order; for TARGET_PODS one list of their namespace. */
  readonly lists: readonly (readonly Pod[])[];
  /** Names of the nodes with NODE_LABEL; undefined when it does not apply. */
  readonly nodes: ReadonlySet<string> | undefined;
  /** Read only under an opt-in rule. */
  readonly workloads?: OptInWorkloads;
}

/** The namespace TARGET_PODS are in. */
function targetPodsNamespace(request: Pick<PodRequest, 'entries' | 'chaosNamespace'>): string {
  return request.entries[0]?.namespace ?? request.chaosNamespace;
}

/** One query for each of {@link ObservedPods.lists}. */
export function podQueries(
  request: Pick<PodRequest, 'entries' | 'targetPods' | 'chaosNamespace'>,
): readonly Pick<TargetEntry, 'namespace' | 'selector'>[] {
  if (request.targetPods.length === 0) return request.entries;
  return [{ namespace: targetPodsNamespace(request), selector: undefined }];
}

/**
 * Chooses the pods to hit (compatibility reference, section 4.2). Pure.
 *
 * Pods that have ended or are being deleted already are not candidates; neither is anything that belongs to a run of
 * chaos or to the operator. Nothing to hit is a {@link TargetSelectionError} that says what was looked for where.
 */
export function selectPods(request: PodRequest, observed: ObservedPods, random: Random): InjectionTarget[] {
  const chosen =
    request.targetPods.length > 0
      ? selectNamed(request, observed)
      : order(
          request.order,
          sample(request, onNodes(request, matching(request, observed), observed), random),
        );
  return chosen.flatMap((pod) =>
    containersOf(pod, request).map((container) => toTarget(pod, container, observed)),
  );
}

function selectNamed(request: PodRequest, observed: ObservedPods): Pod[] {
  const namespace = targetPodsNamespace(request);
  const pods = observed.lists[0] ?? [];
  const byName = new Map(pods.map((pod) => [pod.metadata.name, pod]));
  const chosen: Pod[] = [];
  const missing: string[] = [];
  for (const name of request.targetPods) {
    const pod = byName.get(name);
    if (pod !== undefined && isActive(pod)) chosen.push(refuseProtected(pod, request, observed));
    else missing.push(name);
  }
  if (missing.length === 0) return chosen;
  if (request.previous === undefined) {
    throw new TargetSelectionError(
      `cannot select TARGET_PODS: ${missing.join(', ')} not found in namespace ${namespace}; ` +
        'name pods that exist there, or select by label',
    );
  }
  return [...chosen, ...successors(request.previous, pods, missing, chosen, request, observed)];
}

/**
 * In later rounds a named pod of a workload that gives its pods new names is followed by the newest pod of the same
 * workload, where upstream fails because the named pod is gone.
 */
function successors(
  previous: readonly InjectionTarget[],
  pods: readonly Pod[],
  missing: readonly string[],
  chosen: readonly Pod[],
  request: PodRequest,
  observed: ObservedPods,
): Pod[] {
  const taken = new Set(chosen.map((pod) => pod.metadata.uid));
  const present = new Set(chosen.map((pod) => pod.metadata.name));
  const gone = previous.filter(({ name }) => !present.has(name));
  const found: Pod[] = [];
  for (const target of gone.slice(0, missing.length)) {
    const successor = pods
      .filter((pod) => !taken.has(pod.metadata.uid) && isCandidate(pod, request, observed))
      .filter((pod) => target.owner !== undefined && ownerOf(pod, observed)?.uid === target.owner.uid)
      .sort((a, b) => creationTime(b).localeCompare(creationTime(a)))[0];
    if (successor === undefined) continue;
    taken.add(successor.metadata.uid);
    found.push(successor);
  }
  if (chosen.length + found.length > 0) return found;
  throw new TargetSelectionError(
    `cannot select TARGET_PODS for another round: ${missing.join(', ')} and every replacement are gone from namespace ` +
      `${targetPodsNamespace(request)}; check that their workload still exists`,
  );
}

/** A pod that may take the place of one that was hit. */
export interface PodCandidate {
  readonly pod: Pod;
  /** The targets in it: the pod, or its containers. */
  readonly targets: readonly InjectionTarget[];
}

/**
 * The pods that a held fault may be on now: those that the user's choice means, and where it names pods, those of these names and the
 * other pods of their workloads. None where nothing is left, or a new pod lacks the container. Pure.
 *
 * @param followed the targets that were chosen at first
 */
export function podCandidates(
  request: PodRequest,
  observed: ObservedPods,
  followed: readonly InjectionTarget[],
): readonly PodCandidate[] {
  try {
    const pods = namesPods(request)
      ? observed.lists.flat().filter((pod) => isSuccessor(pod, request, observed, followed))
      : onNodes(request, matching(request, observed), observed);
    const unique = new Map(pods.map((pod) => [objectKey(pod), pod]));
    return [...unique.values()].map((pod) => {
      const containers = containersOf(pod, request);
      return { pod, targets: containers.map((container) => toTarget(pod, container, observed)) };
    });
  } catch (error) {
    if (error instanceof TargetSelectionError) return [];
    throw error;
  }
}

/** Whether pods are meant by their names, so that no percentage applies. Pure. */
export function namesPods({ targetPods, entries }: Pick<PodRequest, 'targetPods' | 'entries'>): boolean {
  return targetPods.length > 0 || entries.some(({ kind }) => kind === 'pod');
}

function isSuccessor(
  pod: Pod,
  request: PodRequest,
  observed: ObservedPods,
  followed: readonly InjectionTarget[],
): boolean {
  if (!isCandidate(pod, request, observed)) return false;
  const uid = ownerOf(pod, observed)?.uid;
  return followed.some(
    ({ namespace, name, owner }) =>
      namespace === pod.metadata.namespace &&
      (name === pod.metadata.name || (uid !== undefined && uid === owner?.uid)),
  );
}

function creationTime(pod: Pod): string {
  return String(pod.metadata.creationTimestamp ?? '');
}

/** All candidates of all entries, each once. */
function matching(request: PodRequest, observed: ObservedPods): Pod[] {
  if (request.entries.length === 0) {
    throw new TargetSelectionError(
      'cannot select targets: neither TARGETS nor TARGET_PODS is set; ' +
        'give the ChaosEngine an appinfo or selectors, or set TARGET_PODS',
    );
  }
  const found = new Map<string, Pod>();
  request.entries.forEach((entry, index) => {
    for (const pod of matchEntry(entry, observed.lists[index] ?? [], request, observed)) {
      found.set(objectKey(pod), pod);
    }
  });
  if (found.size > 0) return [...found.values()];
  const asked = request.entries.map(formatEntry).join(';');
  throw new TargetSelectionError(`no pods found for ${asked}; ${hint(request, observed)}`);
}

function matchEntry(
  entry: TargetEntry,
  pods: readonly Pod[],
  request: PodRequest,
  observed: ObservedPods,
): Pod[] {
  if (entry.kind === 'pod') return matchPodNames(entry, pods, request, observed);
  const candidates = pods.filter((pod) => isCandidate(pod, request, observed));
  const ofKind = candidates.filter((pod) => isMeantBy(entry, pod, observed) === true);
  if (entry.names.length === 0) return ofKind;
  return entry.names.flatMap((name) => {
    const owned = ofKind.filter((pod) => ownerOf(pod, observed)?.name === name);
    if (owned.length > 0) return owned;
    const unwilling = pods.filter(
      (pod) =>
        isReachable(pod, request) && ownerOf(pod, observed)?.name === name && !candidates.includes(pod),
    );
    if (unwilling.length > 0) {
      throw new TargetSelectionError(
        `${entry.kind} ${name} in namespace ${entry.namespace} cannot be a target: ${unwillingText(request, unwilling, observed)}`,
      );
    }
    throw new TargetSelectionError(
      `no pods found for ${entry.kind} ${name} in namespace ${entry.namespace}; ` +
        `check that it exists and has running pods (${describeOwners(candidates, observed)})`,
    );
  });
}

function matchPodNames(
  entry: TargetEntry,
  pods: readonly Pod[],
  request: PodRequest,
  observed: ObservedPods,
): Pod[] {
  return entry.names.map((name) => {
    const pod = pods.find((one) => one.metadata.name === name && isActive(one));
    if (pod !== undefined) return refuseProtected(pod, request, observed);
    throw new TargetSelectionError(
      `pod ${name} not found in namespace ${entry.namespace}; name pods that exist there, or select by label`,
    );
  });
}

function onNodes(request: PodRequest, pods: readonly Pod[], observed: ObservedPods): readonly Pod[] {
  const nodes = observed.nodes;
  if (nodes === undefined) return pods;
  if (nodes.size === 0) {
    throw new TargetSelectionError(
      `cannot select targets: no node has the label ${request.nodeLabel} of NODE_LABEL; label a node, or correct NODE_LABEL`,
    );
  }
  const kept = pods.filter((pod) => nodes.has(pod.spec?.nodeName ?? ''));
  if (kept.length > 0) return kept;
  throw new TargetSelectionError(
    `none of the ${pods.length} matching pods runs on a node with label ${request.nodeLabel} (${[...nodes].join(', ')})`,
  );
}

/** As upstream, one entry that names pods switches the percentage off for all. */
function sample(request: PodRequest, pods: readonly Pod[], random: Random): Pod[] {
  if (namesPods(request)) return [...pods];
  return samplePercentage(pods, request.percentage, random);
}

function order(word: string, pods: readonly Pod[]): Pod[] {
  if (word === 'random') return [...pods];
  const sorted = [...pods].sort((a, b) => compareText(a.metadata.name, b.metadata.name));
  return word === 'reverse' ? sorted.reverse() : sorted;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function toTarget(pod: Pod, container: string | undefined, observed: ObservedPods): InjectionTarget {
  const { name, namespace, uid } = pod.metadata;
  const owner = ownerOf(pod, observed);
  const node = pod.spec?.nodeName;
  return { kind: 'pod', name, namespace, uid, node, container, owner };
}

/** The containers of a pod that are hit; undefined stands for the pod as a whole. */
function containersOf(pod: Pod, request: PodRequest): readonly (string | undefined)[] {
  const { needsContainer, severalContainers = false, container } = request;
  if (!needsContainer) return [undefined];
  if (!severalContainers) return [containerOf(pod, container)];
  if (isAll(container, pod)) return lastingContainers(pod.spec).map(({ name }) => name);
  const wanted = container.split(',').map((name) => name.trim());
  return [...new Set(wanted.map((name) => containerOf(pod, name)))];
}

/** In any case, as upstream compares it; a container that has the word for its name is meant by it. */
function isAll(container: string, { spec }: Pod): boolean {
  const word = container.trim();
  return word.toLowerCase() === 'all' && !lastingContainers(spec).some(({ name }) => name === word);
}

function containerOf(pod: Pod, wanted: string): string {
  const names = lastingContainers(pod.spec).map(({ name }) => name);
  const container = wanted === '' ? names[0] : names.find((name) => name === wanted);
  if (container !== undefined) return container;
  throw new TargetSelectionError(
    `pod ${objectKey(pod)} has no container ${wanted}; set TARGET_CONTAINER to one of ${names.join(', ')}`,
  );
}

function isCandidate(pod: Pod, request: PodRequest, observed: ObservedPods): boolean {
  return isReachable(pod, request) && isWilling(pod, request, observed);
}

/** There, and not part of chaos itself. */
function isReachable(pod: Pod, request: PodRequest): boolean {
  return isActive(pod) && protectionOf(pod, request) === undefined;
}

function isWilling(pod: Pod, { optIn }: PodRequest, observed: ObservedPods): boolean {
  return optIn === undefined || hasOptedIn(pod, optIn, observed);
}

/** Why a pod must never be hit: chaos on its own machinery would end the run that has to revert. */
function protectionOf(pod: Pod, request: Pick<PodRequest, 'ownPod' | 'chaosNamespace'>): string | undefined {
  const { name, namespace } = pod.metadata;
  if (name === request.ownPod && namespace === request.chaosNamespace)
    return 'it is the pod of this experiment';
  return chaosRoleOf(pod);
}

/** A pod that was named is refused where one that was only matched is left out. */
function refuseProtected(pod: Pod, request: PodRequest, observed: ObservedPods): Pod {
  const reason = protectionOf(pod, request);
  if (reason === undefined) {
    if (isWilling(pod, request, observed)) return pod;
    throw new TargetSelectionError(
      `pod ${objectKey(pod)} cannot be a target: ${unwillingText(request, [pod], observed)}`,
    );
  }
  throw new TargetSelectionError(`pod ${objectKey(pod)} cannot be a target: ${reason}; name another pod`);
}

function hint(request: PodRequest, observed: ObservedPods): string {
  const seen = observed.lists.flat();
  if (seen.length === 0)
    return 'no pod there matches; check namespace, labels and that the workload is running';
  const reachable = seen.filter((pod) => isReachable(pod, request));
  if (reachable.length === 0)
    return `${seen.length} pods match but have ended, are being deleted or belong to chaos itself`;
  const candidates = reachable.filter((pod) => isWilling(pod, request, observed));
  if (candidates.length === 0) return unwillingText(request, reachable, observed);
  return `the matching pods belong to other workloads (${describeOwners(candidates, observed)})`;
}

/** Said of pods of which none agrees to chaos. */
function unwillingText({ optIn }: PodRequest, pods: readonly Pod[], observed: ObservedPods): string {
  const mark = `${optIn?.key}=${optIn?.value}`;
  return (
    `spec.annotationCheck asks for the annotation ${mark}, which its workload does not carry ` +
    `(${describeOwners(pods, observed)}); annotate it, or set annotationCheck to "false"`
  );
}

const SHOWN_OWNERS = 5;

function describeOwners(pods: readonly Pod[], observed: ObservedPods): string {
  const owners = new Set(
    pods.map((pod) => {
      const owner = ownerOf(pod, observed);
      return owner === undefined ? `bare pod ${pod.metadata.name}` : `${owner.kind} ${owner.name}`;
    }),
  );
  const shown = [...owners].slice(0, SHOWN_OWNERS).join(', ');
  if (owners.size === 0) return 'there are no pods';
  return owners.size > SHOWN_OWNERS
    ? `found: ${shown} and ${owners.size - SHOWN_OWNERS} more`
    : `found: ${shown}`;
}
