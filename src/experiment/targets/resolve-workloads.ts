import type { KubeClient } from '@turnsole/kube/client/types';
import type { Deployment, KubeObject, StatefulSet } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, type Resource, STATEFUL_SETS } from '@turnsole/kube/kinds/resources';
import { matchesLabels, parseLabelSelector } from '@turnsole/kube/text/label-selector';
import type { InjectionTarget } from '../../api/index.ts';
import { describeError, TargetSelectionError } from '../injection/errors.ts';
import { ANY_KIND, formatEntry, type TargetEntry } from '../injection/settings/parse-targets.ts';
import { chaosRoleOf } from './of-chaos.ts';
import type { OptInRule } from './opt-in.ts';

/** A workload with replicas of its own, as it is served. */
export type ScalableWorkload = Deployment | StatefulSet;

/** The kinds that can be scaled, by their words in TARGETS. */
export const SCALABLE_WORKLOADS: ReadonlyMap<string, Resource> = new Map([
  ['deployment', DEPLOYMENTS],
  ['statefulset', STATEFUL_SETS],
]);

/** The user's choice of workloads. */
interface WorkloadRequest {
  readonly entries: readonly TargetEntry[];
  /** Share of those that match, at least one. */
  readonly percentage: number;
  /** Only applications that carry this annotation may be hit. */
  readonly optIn?: OptInRule;
}

/** The workloads of one entry, as they were found. */
interface FoundWorkloads {
  readonly entry: TargetEntry;
  readonly workloads: readonly { readonly kind: string; readonly workload: ScalableWorkload }[];
}

/**
 * Looks for the deployments and stateful sets that TARGETS names.
 *
 * @param toBe workloads of manifests that are not applied yet, for plans
 * @throws TargetSelectionError when TARGETS names another kind, when a list cannot be read, and as {@link selectWorkloads}
 */
export async function resolveWorkloads(
  client: KubeClient,
  request: WorkloadRequest,
  signal: AbortSignal,
  toBe: readonly KubeObject[] = [],
): Promise<readonly InjectionTarget[]> {
  const found = await Promise.all(
    request.entries.map(async (entry): Promise<FoundWorkloads> => {
      const lists = kindsOf(entry).map(async ([kind, resource]) => {
        const { namespace, selector: labelSelector } = entry;
        const options = { namespace, signal, labelSelector };
        try {
          const { items } = await client.list<ScalableWorkload>(resource, options);
          return [...items, ...addedBy(toBe, items, entry, resource)].map((workload) => ({ kind, workload }));
        } catch (cause) {
          signal.throwIfAborted();
          throw new TargetSelectionError(
            `cannot list ${resource.plural} in namespace ${namespace}: ${describeError(cause)}; check the selector and the ` +
              'permissions of the service account',
            { cause },
          );
        }
      });
      return { entry, workloads: (await Promise.all(lists)).flat() };
    }),
  );
  return selectWorkloads(request, found);
}

/** Workloads of manifests that this list will have when they are applied. */
function addedBy(
  toBe: readonly KubeObject[],
  items: readonly ScalableWorkload[],
  { namespace, selector }: TargetEntry,
  { kind }: Resource,
): ScalableWorkload[] {
  const wanted = parseLabelSelector(selector ?? '');
  return toBe
    .filter(
      (one) =>
        one.kind === kind &&
        one.metadata.namespace === namespace &&
        matchesLabels(wanted, one.metadata.labels) &&
        !items.some(({ metadata }) => metadata.name === one.metadata.name),
    )
    .map((one) => one as ScalableWorkload);
}

function kindsOf({ kind, namespace }: TargetEntry): readonly (readonly [string, Resource])[] {
  if (kind === ANY_KIND) return [...SCALABLE_WORKLOADS];
  const resource = SCALABLE_WORKLOADS.get(kind);
  if (resource !== undefined) return [[kind, resource]];
  throw new TargetSelectionError(
    `cannot scale a ${kind} (namespace ${namespace}); name a ${[...SCALABLE_WORKLOADS.keys()].join(' or a ')}`,
  );
}

/**
 * Chooses the workloads to hit: by name or label, without chaos' own, the first so many by namespace, kind and name. Pure.
 *
 * @throws TargetSelectionError when a named one is missing or belongs to chaos, or nothing matches
 */
export function selectWorkloads(
  { percentage, optIn }: WorkloadRequest,
  found: readonly FoundWorkloads[],
): InjectionTarget[] {
  if (found.length === 0) {
    throw new TargetSelectionError(
      'cannot select targets: TARGETS is not set; give the ChaosEngine an appinfo or selectors',
    );
  }
  const chosen = new Map<string, InjectionTarget>();
  for (const { entry, workloads } of found) {
    refuseMissing(entry, workloads);
    const matching = workloads.filter(
      ({ workload }) =>
        (entry.names.length === 0 || entry.names.includes(workload.metadata.name)) &&
        roleOf(workload) === undefined &&
        (optIn === undefined || workload.metadata.annotations?.[optIn.key] === optIn.value),
    );
    if (matching.length === 0) {
      const consent = optIn === undefined ? '' : ` and the annotation ${optIn.key}: "${optIn.value}"`;
      throw new TargetSelectionError(
        `cannot select targets: no workload found for ${formatEntry(entry)}${consent}; check its kind, namespace and labels`,
      );
    }
    for (const { kind, workload } of matching) {
      const { namespace = entry.namespace, name, uid } = workload.metadata;
      const target = { kind, namespace, name, uid };
      chosen.set(`${namespace}/${kind}/${name}`, target);
    }
  }
  const ordered = [...chosen].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, target]) => target);
  return ordered.slice(0, Math.max(1, Math.floor((ordered.length * Math.min(percentage, 100)) / 100)));
}

function refuseMissing(entry: TargetEntry, workloads: FoundWorkloads['workloads']): void {
  const problems = entry.names.flatMap((name) => {
    const named = workloads.find(({ workload }) => workload.metadata.name === name);
    if (named === undefined) return [`there is no ${entry.kind} ${entry.namespace}/${name}`];
    const role = roleOf(named.workload);
    return role === undefined ? [] : [`${entry.kind} ${entry.namespace}/${name} is no target: ${role}`];
  });
  if (problems.length > 0) throw new TargetSelectionError(`cannot select targets: ${problems.join('; ')}`);
}

/** The operator's own Deployment is known by its labels, or by those of its pods. */
function roleOf({ metadata, spec }: ScalableWorkload): string | undefined {
  const { labels } = spec?.template.metadata ?? {};
  return chaosRoleOf({ metadata }) ?? chaosRoleOf({ metadata: { name: metadata.name, labels } });
}
