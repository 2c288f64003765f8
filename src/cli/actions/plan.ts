import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { systemClock } from '@turnsole/kube/base/clock';
import { CommandError, formatProblem, type InputNote } from '../../services/errors.ts';
import { applyManifests } from '../../services/manifests/apply.ts';
import type { ReadManifests } from '../../services/manifests/read.ts';
import { checkFiles } from '../../services/plan/check-files.ts';
import { planDocument, planExitCode } from '../../services/plan/plan-document.ts';
import { planFound } from '../../services/plan/plan-found.ts';
import { type EnginePlan, planOfFiles } from '../../services/plan/preflight.ts';
import { uncheckedProblems } from '../../services/plan/unchecked.ts';
import { type CheckedWorkflowPlan, planWorkflows } from '../../services/plan/workflow-plans.ts';
import { awaitWorkloads } from '../../services/run/await-workloads.ts';
import type { Progress } from '../../services/run/progress.ts';
import { refuseMissingImages } from '../../services/run/refuse-images.ts';
import { NO_TEMPLATES } from '../../workflows/validation/library.ts';
import { beforeCluster, type ClusterSession, openCluster } from '../cluster.ts';
import { formatEnginePlan } from '../print/plan.ts';
import { createProgress } from '../print/progress.ts';
import { formatWorkflowPlan } from '../print/workflow/plan.ts';
import { buildFor, openProject, type ProjectOptions, withProject } from '../project.ts';
import type { ProposedOptions } from '../proposed-run.ts';
import { readRuns } from '../read-runs.ts';
import { onStopRequest } from '../signals.ts';

/** Options of `turnsole plan`, as the command line gives them. */
export interface PlanOptions extends ProposedOptions, ProjectOptions {
  readonly readyTimeout: number;
  readonly output: 'text' | 'json';
  /** Counts an experiment that no probe judges as a problem. */
  readonly requireChecks?: boolean;
}

/**
 * Prints what the engines of the manifests would do. On an existing cluster it writes nothing at all; without one it
 * applies the other manifests to an embedded cluster that ends afterwards.
 */
export async function run(
  named: readonly string[],
  given: PlanOptions,
  isGiven: (option: string) => boolean,
): Promise<number> {
  const project = await openProject(given);
  const options = withProject(given, project, isGiven);
  // Progress goes to standard error, so that the plan itself can be piped.
  const progress = createProgress({ stream: process.stderr, quiet: false, clock: systemClock });
  const stop = new AbortController();
  const unsubscribe = onStopRequest((_count, cause) => {
    stop.abort(new CommandError(`stopped by ${cause}`, 'STOPPED'));
  });
  try {
    const read = { mode: 'next', nowMs: systemClock.now(), allowsStopped: true } as const;
    const found = await readRuns(named, options, project, { progress, signal: stop.signal, read });
    const { engines, workflows, others, warnings } = found;
    const before = beforeCluster(options);
    const checked = await checkFiles(engines, others, before);
    // Templates that the files lack may exist in the cluster.
    const ofFiles =
      before.cluster === 'nothing'
        ? planWorkflows(workflows, { others, namespace: before.namespace, library: NO_TEMPLATES })
        : [];
    if ([...checked, ...ofFiles].some(({ problems }) => problems.length > 0)) {
      return print({ plans: checked.map(planOfFiles), inside: ofFiles, warnings }, options);
    }
    await buildFor(project, options, progress, stop.signal);
    const session = await openCluster({ ...options, withOperator: false, withWorkflows: false }, stop.signal);
    try {
      const planned = await planOn(session, found, { options, progress, signal: stop.signal });
      return print({ ...planned, warnings }, options);
    } finally {
      // Nobody uses what was applied for the plan: its pods need not drain.
      await session.close({ graceMs: 0 });
    }
  } finally {
    unsubscribe();
    progress.close();
  }
}

/** Text has the warnings about the files above it, as progress. */
function print(
  found: {
    readonly plans: readonly EnginePlan[];
    readonly inside: readonly CheckedWorkflowPlan[];
    readonly warnings: readonly InputNote[];
  },
  { output, requireChecks = false }: PlanOptions,
): number {
  const plans = requireChecks
    ? found.plans.map((plan) => ({
        ...plan,
        problems: [...plan.problems, ...uncheckedProblems(plan.manifest)],
      }))
    : found.plans;
  const workflows = found.inside;
  const asText = (): string =>
    [...workflows.flatMap(formatWorkflowPlan), ...plans.flatMap(formatEnginePlan)].join('\n');
  console.log(
    output === 'json' ? JSON.stringify(planDocument(plans, workflows, found.warnings), null, 2) : asText(),
  );
  return planExitCode(plans, workflows);
}

async function planOn(
  session: ClusterSession,
  found: Pick<ReadManifests, 'engines' | 'workflows' | 'others'>,
  { options, progress, signal }: { options: PlanOptions; progress: Progress; signal: AbortSignal },
): Promise<{ readonly plans: EnginePlan[]; readonly inside: CheckedWorkflowPlan[] }> {
  const { client, namespace, embedded } = session;
  if (embedded !== undefined) {
    refuseMissingImages(found.others, (image) => embedded.knowsImage(image));
    const applied = await applyManifests(found.others, {
      client,
      kinds: new KindResolver(client),
      namespace,
      signal,
      onWarning: (warning) => progress.step(`warning: ${formatProblem(warning)}`),
    });
    await awaitWorkloads(applied, {
      client,
      timeoutMs: options.readyTimeout,
      signal,
      patient: false,
      isIsolated: embedded.lacks.isolation === undefined,
      onReady: (workload, state) => progress.step(`${workload} is ready (${state})`),
    });
  }
  const { connectWithToken } = session;
  return planFound(found, { client, namespace, signal, embedded, connectWithToken });
}
