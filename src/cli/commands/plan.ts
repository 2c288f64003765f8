import type { ChaosExperiment } from '../../api/index.ts';
import type { InjectionTarget } from '../../api/ledger.ts';
import type { ExperimentPlan } from '../../experiment/index.ts';
import { systemClock } from '../../kube/runtime/clock.ts';
import { type ClusterOptions, type ClusterSession, openCluster } from '../cluster.ts';
import { CommandError, formatProblem } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { applyManifests, namespaceOf } from '../manifests/apply.ts';
import { KindResolver } from '../manifests/discovery.ts';
import type { Manifest } from '../manifests/load.ts';
import { readManifests } from '../manifests/read.ts';
import { awaitWorkloads } from '../run/await-workloads.ts';
import { type EnginePlan, planEngines } from '../run/preflight.ts';
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
    const { engines, others } = await readManifests(paths, progress);
    const session = await openCluster({ ...options, withOperator: false }, stop.signal);
    try {
      const plans = await planOn(session, engines, others, { options, progress, signal: stop.signal });
      console.log(options.output === 'json' ? toJson(plans) : plans.flatMap(formatEnginePlan).join('\n'));
      if (plans.some(({ problems }) => problems.length > 0)) return EXIT.badInput;
      return plans.some(({ obstacles }) => obstacles.length > 0) ? EXIT.couldNotRun : EXIT.pass;
    } finally {
      await session.close();
    }
  } finally {
    unsubscribe();
    progress.close();
  }
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
    });
    await awaitWorkloads(applied, {
      client,
      timeoutMs: options.readyTimeout,
      signal,
      patient: false,
      onReady: (workload, state) => progress.step(`${workload} is ready (${state})`),
    });
  }
  const experiments = new Map(
    others
      .filter(({ object }) => object.kind === 'ChaosExperiment')
      .map((manifest) => [
        `${namespaceOf(manifest, namespace)}/${manifest.object.metadata.name}`,
        manifest.object as ChaosExperiment,
      ]),
  );
  return planEngines(engines, { client, namespace, experiments, signal, embedded });
}

/** A plan as text for people. Pure. */
function formatEnginePlan({ manifest, namespace, plans, problems, obstacles }: EnginePlan): string[] {
  const lines = [`ChaosEngine ${namespace}/${manifest.object.metadata.name}`];
  for (const plan of plans) lines.push(...formatExperimentPlan(plan).map((line) => `  ${line}`));
  lines.push(...obstacles.map((obstacle) => `  this machine cannot run it: ${obstacle}`));
  if (problems.length + obstacles.length === 0) {
    return [...lines, '  nothing speaks against it; nothing was injected'];
  }
  if (problems.length === 0) return lines;
  return [
    ...lines,
    `  ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}; a run would be refused:`,
    ...problems.map((problem) => `    ${formatProblem(problem)}`),
  ];
}

function formatExperimentPlan(plan: ExperimentPlan): string[] {
  const every = plan.intervalSeconds;
  const rounds =
    every === undefined
      ? `held for ${plan.durationSeconds} s`
      : `${plan.rounds} rounds in ${plan.durationSeconds} s, every ${[...new Set(every)].join(' to ')} s`;
  const chosen = plan.targets.length === 1 ? '1 target' : `${plan.targets.length} targets`;
  return [
    `${plan.experiment} (${plan.fault}): ${rounds}, ${chosen}${plan.targets.length > 1 ? `, ${plan.sequence}` : ''}`,
    ...plan.targets.map((target) => `  ${formatTarget(target)}`),
    ...(plan.unknownVariables.length === 0
      ? []
      : [`  not looked at, because their values come from elsewhere: ${plan.unknownVariables.join(', ')}`]),
  ];
}

function formatTarget({ kind, namespace, name, container, node, owner }: InjectionTarget): string {
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  const details = [
    container === undefined ? undefined : `container ${container}`,
    owner === undefined ? undefined : `of ${owner.kind} ${owner.name}`,
    node === undefined ? undefined : `on node ${node}`,
  ].filter((detail) => detail !== undefined);
  return [`${kind} ${place}`, ...details].join(', ');
}

function toJson(plans: readonly EnginePlan[]): string {
  const engines = plans.map(({ manifest, namespace, plans: experiments, problems, obstacles }) => ({
    namespace,
    name: manifest.object.metadata.name,
    experiments,
    problems,
    obstacles,
  }));
  return JSON.stringify({ engines }, null, 2);
}
