import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { NO_TEMPLATES } from '@turnsole/workflows/validation/library';
import { formatProblem } from '../../services/errors.ts';
import { applyManifests } from '../../services/manifests/apply.ts';
import type { ReadManifests } from '../../services/manifests/read.ts';
import { type CheckFilesOptions, checkFiles } from '../../services/plan/check-files.ts';
import { planFound } from '../../services/plan/plan-found.ts';
import { type EnginePlan, planOfFiles } from '../../services/plan/preflight.ts';
import { uncheckedProblems } from '../../services/plan/unchecked.ts';
import { type CheckedWorkflowPlan, planWorkflows } from '../../services/plan/workflow-plans.ts';
import { awaitWorkloads } from '../../services/run/await-workloads.ts';
import { bringImages } from '../../services/run/bring-images.ts';
import type { Progress } from '../../services/run/progress.ts';
import type { ClusterSession } from '../session/open-cluster.ts';

/** How manifests are planned. */
interface PlanReadOptions {
  readonly before: CheckFilesOptions;
  readonly readyTimeoutMs: number;
  /** Counts an experiment that no probe judges as a problem. */
  readonly requireChecks: boolean;
  readonly progress: Pick<Progress, 'step'>;
  readonly signal: AbortSignal;
  /** Whether the other manifests may be applied: to an embedded cluster that ends with the plan. @default to any embedded one */
  readonly writes?: boolean;
  /** Called where the files alone do not show problems. */
  readonly open: () => Promise<ClusterSession>;
}

/** What manifests would do. */
export interface ReadPlan {
  /** Of engines, those that workflows make last. */
  readonly plans: readonly EnginePlan[];
  readonly inside: readonly CheckedWorkflowPlan[];
}

/**
 * What the engines and workflows of manifests would do. Writes nothing to an existing cluster; to an embedded one it applies the other
 * manifests.
 *
 * @throws CommandError when there is no cluster · the signal's reason
 */
export async function planRead(found: ReadManifests, options: PlanReadOptions): Promise<ReadPlan> {
  const { plans, inside } = await plansOf(found, options);
  if (!options.requireChecks) return { plans, inside };
  const strict = plans.map((plan) => ({
    ...plan,
    problems: [...plan.problems, ...uncheckedProblems(plan.manifest)],
  }));
  return { plans: strict, inside };
}

async function plansOf(found: ReadManifests, options: PlanReadOptions): Promise<ReadPlan> {
  const { before, open } = options;
  const { engines, workflows, others } = found;
  const checked = await checkFiles(engines, others, before);
  // Templates that the files lack may exist in the cluster.
  const inside =
    before.cluster === 'nothing'
      ? planWorkflows(workflows, { others, namespace: before.namespace, library: NO_TEMPLATES })
      : [];
  if ([...checked, ...inside].some(({ problems }) => problems.length > 0))
    return { plans: checked.map(planOfFiles), inside };
  const session = await open();
  try {
    return await planOn(session, found, options);
  } finally {
    // Nothing uses what was applied for the plan: its pods need not drain.
    await session.close({ graceMs: 0 });
  }
}

async function planOn(
  { client, namespace, embedded, connectWithToken }: ClusterSession,
  found: ReadManifests,
  { progress, readyTimeoutMs, signal, writes = embedded !== undefined }: PlanReadOptions,
): Promise<ReadPlan> {
  if (writes) {
    // As a run does, so that both refuse the same manifests in the same words.
    if (embedded !== undefined) await bringImages(found.others, { embedded, progress, signal });
    const applied = await applyManifests(found.others, {
      client,
      kinds: new KindResolver(client),
      namespace,
      signal,
      onWarning: (warning) => progress.step(`warning: ${formatProblem(warning)}`),
    });
    await awaitWorkloads(applied, {
      client,
      timeoutMs: readyTimeoutMs,
      signal,
      patient: false,
      ...(embedded !== undefined && { isIsolated: embedded.lacks.isolation === undefined }),
      onReady: (workload, state) => progress.step(`${workload} is ready (${state})`),
    });
  }
  return planFound(found, { client, namespace, signal, embedded, connectWithToken });
}
