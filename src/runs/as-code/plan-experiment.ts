/** A plan of an experiment from code. */
import { withoutUndefined } from '@turnsole/kube/text/without-undefined';
import { formatProblem, type InputNote } from '../../services/errors.ts';
import type { ReadManifests } from '../../services/manifests/read.ts';
import { planDocument } from '../../services/plan/plan-document.ts';
import { planRead, type ReadPlan } from '../execute/plan-read.ts';
import type { Asked } from './arguments.ts';
import { asChaosError } from './as-chaos-error.ts';
import { durationOption } from './duration-option.ts';
import { ChaosError } from './errors.ts';
import { knownOf, openSession } from './open-session.ts';
import { manifestsOf } from './own-manifests.ts';
import type { ChaosPlan, PlanFinding } from './plan.ts';
import type { PlanOptions } from './run-options.ts';

/** As `planChaos` says. */
export async function planExperiment({
  cluster,
  experiment,
  options,
}: Asked<PlanOptions>): Promise<ChaosPlan> {
  const readyTimeoutMs = durationOption('planChaos.options.readyTimeout', options.readyTimeout ?? '2m');
  const signal = options.signal ?? new AbortController().signal;
  const warnings: string[] = [];
  const progress = {
    step: (sentence: string): void => {
      if (sentence.startsWith('warning: ')) warnings.push(sentence.slice('warning: '.length));
    },
  };
  try {
    signal.throwIfAborted();
    const early = options.namespace ?? experiment.namespace ?? 'default';
    const before = readOrProblems(() => experiment.read(manifestsOf(options, early, true)));
    if ('problems' in before) return { wouldRun: false, problems: before.problems, warnings, faults: [] };
    const opened = await openSession(cluster, { purpose: 'plan', manifests: before.found, progress, signal });
    try {
      const namespace = options.namespace ?? experiment.namespace ?? opened.session.namespace;
      const found = experiment.read(manifestsOf(options, namespace, true));
      const planned = await planRead(found, {
        before: { namespace, cluster: knownOf(cluster) },
        readyTimeoutMs,
        requireChecks: options.requireChecks ?? false,
        progress,
        signal,
        // A cluster that goes on is looked at and never written to, also when it is one of this process.
        open: () => Promise.resolve({ ...opened.session, namespace, close: () => Promise.resolve() }),
        writes: opened.isOwn,
      });
      return planOf(planned, found.warnings, warnings);
    } finally {
      await opened.close({ graceMs: 0 });
    }
  } catch (error) {
    if (signal.aborted)
      throw new ChaosError('the plan was stopped by its signal', { code: 'STOPPED', cause: signal.reason });
    throw asChaosError(error);
  }
}

function readOrProblems(
  read: () => ReadManifests,
): { readonly found: ReadManifests } | { readonly problems: readonly PlanFinding[] } {
  try {
    return { found: read() };
  } catch (error) {
    if (error instanceof ChaosError && error.problems.length > 0) return { problems: error.problems };
    throw error;
  }
}

/** Pure. */
function planOf(
  { plans, inside }: ReadPlan,
  notes: readonly InputNote[],
  told: readonly string[],
): ChaosPlan {
  const { wouldRun, engines, workflows = [], warnings } = planDocument(plans, inside, notes);
  return {
    wouldRun,
    problems: [
      ...[...engines, ...workflows].flatMap(({ problems }) =>
        problems.map((problem) => ({
          ...(problem.field !== undefined && { field: problem.field }),
          message: formatProblem(problem),
          code: problem.code,
        })),
      ),
      ...engines.flatMap(({ obstacles }) => obstacles.map((message) => ({ message, code: 'MACHINE_UNFIT' }))),
    ],
    warnings: [
      ...told,
      ...warnings.map(formatProblem),
      ...[...engines, ...workflows].flatMap((one) => one.warnings),
    ],
    faults: engines.flatMap(({ namespace, name, experiments }) =>
      experiments.map(({ fault, durationSeconds, expectedSeconds, rounds, sequence, targets, problems }) => ({
        engine: name,
        namespace,
        fault,
        durationSeconds,
        expectedSeconds,
        rounds,
        sequence,
        targets: targets.map(({ kind, namespace: place, name: target, container, node }) =>
          withoutUndefined({ kind, name: target, namespace: place, container, node }),
        ),
        problems: problems.map(({ message }) => message),
      })),
    ),
  };
}
