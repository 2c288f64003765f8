import { systemClock } from '../../kube/runtime/clock.ts';
import { type ClusterOptions, type ClusterSession, openCluster } from '../cluster.ts';
import { CommandError, formatProblem } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { applyManifests } from '../manifests/apply.ts';
import { KindResolver } from '../manifests/discovery.ts';
import type { Manifest } from '../manifests/load.ts';
import { readManifests } from '../manifests/read.ts';
import { beforeCluster, checkFiles } from '../plan/check-files.ts';
import { formatEnginePlan } from '../plan/format-plan.ts';
import { planDocument, planExitCode } from '../plan/plan-document.ts';
import { awaitWorkloads } from '../run/await-workloads.ts';
import { type EnginePlan, planEngines, planOfFiles } from '../run/preflight.ts';
import { createProgress, type Progress } from '../run/progress.ts';
import { onStopRequest } from '../signals.ts';

/** Options of `turnsole plan`, as the command line gives them. */
export interface PlanOptions extends ClusterOptions {
  readonly readyTimeout: number;
  readonly output: 'text' | 'json';
}

/**
 * Says what the engines of the manifests would do. On an existing cluster nothing is written at all; without one the
 * other manifests are applied to an embedded cluster that goes away afterwards.
 */
export async function run(paths: readonly string[], options: PlanOptions): Promise<number> {
  // Progress goes to standard error, so that the plan itself can be piped.
  const progress = createProgress({ stream: process.stderr, quiet: false, clock: systemClock });
  const stop = new AbortController();
  const unsubscribe = onStopRequest((_count, cause) => {
    stop.abort(new CommandError(`stopped by ${cause}`, EXIT.aborted));
  });
  try {
    const { engines, others } = await readManifests(paths, progress, {
      mode: 'next',
      nowMs: systemClock.now(),
    });
    const checked = await checkFiles(engines, others, beforeCluster(options));
    if (checked.some(({ problems }) => problems.length > 0)) {
      return print(checked.map(planOfFiles), options);
    }
    const session = await openCluster({ ...options, withOperator: false }, stop.signal);
    try {
      const plans = await planOn(session, engines, others, { options, progress, signal: stop.signal });
      return print(plans, options);
    } finally {
      await session.close();
    }
  } finally {
    unsubscribe();
    progress.close();
  }
}

function print(plans: readonly EnginePlan[], { output }: PlanOptions): number {
  const asText = (): string => plans.flatMap(formatEnginePlan).join('\n');
  console.log(output === 'json' ? JSON.stringify(planDocument(plans), null, 2) : asText());
  return planExitCode(plans);
}

async function planOn(
  session: ClusterSession,
  engines: readonly Manifest[],
  others: readonly Manifest[],
  { options, progress, signal }: { options: PlanOptions; progress: Progress; signal: AbortSignal },
): Promise<EnginePlan[]> {
  const { client, namespace, embedded } = session;
  if (session.embedded !== undefined) {
    const applied = await applyManifests(others, {
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
      onReady: (workload, state) => progress.step(`${workload} is ready (${state})`),
    });
  }
  const { connectWithToken } = session;
  return planEngines(engines, {
    client,
    namespace,
    // On an existing cluster nothing of them is there yet.
    others,
    signal,
    embedded,
    connectWithToken,
    withImpact: true,
  });
}
