import { systemClock } from '@turnsole/kube/base/clock';
import { complain } from '../../process/complain.ts';
import { openFitting } from '../../runs/execute/open-fitting.ts';
import { planRead } from '../../runs/execute/plan-read.ts';
import { beforeCluster, openCluster } from '../../runs/session/open-cluster.ts';
import { CommandError, type InputNote } from '../../services/errors.ts';
import { planDocument, planExitCode } from '../../services/plan/plan-document.ts';
import type { EnginePlan } from '../../services/plan/preflight.ts';
import type { CheckedWorkflowPlan } from '../../services/plan/workflow-plans.ts';
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
    const { plans, inside } = await planRead(found, {
      before: beforeCluster(options),
      readyTimeoutMs: options.readyTimeout,
      requireChecks: options.requireChecks ?? false,
      progress,
      signal: stop.signal,
      open: async () => {
        await buildFor(project, options, progress, stop.signal);
        const components = { withOperator: false, withWorkflows: false, warn: complain };
        return openFitting({ ...found, planned: found.engines }, options, {
          open: (cluster) => openCluster({ ...cluster, ...components }, stop.signal),
          ...{ progress, signal: stop.signal },
        });
      },
    });
    return print(plans, inside, found.warnings, options);
  } finally {
    unsubscribe();
    progress.close();
  }
}

/** Text has the warnings about the files above it, as progress. */
function print(
  plans: readonly EnginePlan[],
  workflows: readonly CheckedWorkflowPlan[],
  warnings: readonly InputNote[],
  { output }: PlanOptions,
): number {
  const asText = (): string =>
    [...workflows.flatMap(formatWorkflowPlan), ...plans.flatMap(formatEnginePlan)].join('\n');
  console.log(
    output === 'json' ? JSON.stringify(planDocument(plans, workflows, warnings), null, 2) : asText(),
  );
  return planExitCode(plans, workflows);
}
