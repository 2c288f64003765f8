import type { KubeClient } from '@turnsole/kube/client/types';
import type {
  BlastRadius,
  BudgetImpact,
  InjectionTarget,
  NodeShare,
  PermissionCheck,
  PermissionSource,
  PlanConflict,
  PlanFindings,
  WorkloadShare,
} from '../../api/index.ts';
import { findAutoscalers } from './autoscalers.ts';
import { blastRadius, type Hit } from './blast-radius.ts';
import { findConflicts } from './conflicts.ts';
import { observeSurroundings } from './observe-surroundings.ts';
import { formatPermissions } from './permissions.ts';

/** What a round hits, around it and against it. */
export interface Impact {
  readonly blastRadius: BlastRadius;
  readonly conflicts: readonly PlanConflict[];
}

/** The round whose impact is looked for. */
interface ImpactInput extends Hit {
  readonly client: KubeClient;
  readonly engine: { readonly namespace: string; readonly name: string };
  readonly signal: AbortSignal;
}

/** Nothing is hit. */
export const NO_IMPACT: Impact = {
  blastRadius: { workloads: [], disruptionBudgets: [], nodes: { hit: [] }, notSeen: [] },
  conflicts: [],
};

/** Looks at the cluster around the targets, and judges. */
export async function observeImpact(input: ImpactInput): Promise<Impact> {
  const { client, engine, targets, sequence, signal } = input;
  if (targets.length === 0) return NO_IMPACT;
  const { around, others, autoscalers } = await observeSurroundings(
    client,
    targets,
    engine.namespace,
    signal,
  );
  return {
    blastRadius: blastRadius({ targets, sequence }, around),
    conflicts: [
      ...findConflicts({ engine, targets, pods: around.pods }, others),
      ...findAutoscalers(targets, autoscalers),
    ],
  };
}

/** What {@link planFindings} puts together. */
interface FindingsInput extends Impact {
  readonly targets: readonly InjectionTarget[];
  readonly account: string;
  readonly source: PermissionSource;
  readonly checks: readonly PermissionCheck[];
}

/** What a dry run leaves in its result. Pure. */
export function planFindings(input: FindingsInput): PlanFindings {
  const { targets, account, source, checks, blastRadius: radius, conflicts } = input;
  const missing = checks.filter(({ allowed }) => allowed === false);
  const parts = [
    describeHit(radius, targets.length),
    ...radius.disruptionBudgets.filter(({ violated }) => violated).map(describeBudget),
    ...conflicts.map(describeConflict),
    ...(missing.length === 0 ? [] : [`service account ${account} may not ${formatPermissions(missing)}`]),
  ];
  return {
    summary: parts.join('; '),
    targets,
    blastRadius: radius,
    permissions: { source, missing },
    conflicts,
  };
}

function describeHit({ workloads, nodes }: BlastRadius, targets: number): string {
  if (targets === 0) return 'would hit nothing';
  const what = workloads.map(describeShare);
  const where = nodes.hit.length === 0 ? '' : ` on ${describeNodes(nodes)}`;
  return `would hit ${what.length === 0 ? `${targets} target(s)` : what.join(', ')}${where}`;
}

/** `2 of 3 pods of deployment shop/web (67 %)`. */
export function describeShare({ kind, namespace, name, hit, of, percent }: WorkloadShare): string {
  if (kind === 'pod') return `pod ${namespace}/${name}`;
  return `${hit} of ${of} ${of === 1 ? 'pod' : 'pods'} of ${kind} ${namespace}/${name} (${percent} %)`;
}

/** `1 of 3 nodes (33 %)`, or `node a, b` when their number is not known. */
export function describeNodes({ hit, of, percent }: NodeShare): string {
  if (of === undefined) return `${hit.length === 1 ? 'node' : 'nodes'} ${hit.join(', ')}`;
  return `${hit.length} of ${of} ${of === 1 ? 'node' : 'nodes'} (${percent} %)`;
}

/** Whether a disruption budget allows the hit. */
export function describeBudget({ namespace, name, hitAtOnce, allowed, violated }: BudgetImpact): string {
  const outcome = violated ? 'would be violated' : 'stands it';
  return `PodDisruptionBudget ${namespace}/${name} ${outcome}: ${hitAtOnce} hit at once, ${allowed} may be missing now`;
}

/** What else meets the same target. */
export function describeConflict(conflict: PlanConflict): string {
  if (conflict.kind === 'autoscaled') {
    const { autoscaler, object } = conflict;
    return (
      `HorizontalPodAutoscaler ${autoscaler} scales ${object} as well: it would undo other replicas than 0, ` +
      'which ends the run with an error; delete it for the time of the chaos'
    );
  }
  const { engine, experiment, fault, object, kind } = conflict;
  const who = `engine ${engine}${experiment === undefined ? '' : ` (${experiment})`}`;
  if (kind === 'in-force') return `${fault ?? 'chaos'} of ${who} is in force on ${object}`;
  return `${who} is under way and selects ${object} as well`;
}
