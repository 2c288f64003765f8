import {
  CHAOS_EXPERIMENTS,
  type ChaosEngine,
  type ChaosExperiment,
  type EngineExperiment,
  SERVICE_ACCOUNTS,
} from '../../api/index.ts';
import {
  type ExperimentPlan,
  type LocalNode,
  type PermissionCheck,
  planExperiment,
} from '../../experiment/index.ts';
import { faultRegistry } from '../../faults/index.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import { systemClock } from '../../kube/runtime/clock.ts';
import type { EmbeddedCluster } from '../../local/types.ts';
import { BadInputError, CommandError, type InputProblem } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { namespaceOf, placeOf } from '../manifests/apply.ts';
import type { Manifest } from '../manifests/load.ts';

/** What looking at engines before their run needs. */
export interface PreflightOptions {
  readonly client: KubeClient;
  /** Namespace of engines that name none. */
  readonly namespace: string;
  /** ChaosExperiments that are not in the cluster yet, by `namespace/name`; the cluster is asked for others. */
  readonly experiments?: ReadonlyMap<string, ChaosExperiment>;
  readonly signal: AbortSignal;
  /** The embedded cluster of this process, whose nodes are this machine. */
  readonly embedded?: Pick<EmbeddedCluster, 'capabilities'>;
}

/** What one engine would do, and what speaks against it. */
export interface EnginePlan {
  readonly manifest: Manifest;
  readonly namespace: string;
  readonly plans: readonly ExperimentPlan[];
  readonly problems: readonly InputProblem[];
  /** What this machine does not allow; the input is not to blame. */
  readonly obstacles: readonly string[];
}

/**
 * Refuses engines that have problems, and those that this machine cannot run.
 *
 * @throws BadInputError with all problems · CommandError (could not run) with all obstacles
 */
export function refuseProblems(plans: readonly EnginePlan[]): void {
  const problems = plans.flatMap((plan) => plan.problems);
  if (problems.length > 0) throw new BadInputError(problems);
  const obstacles = [...new Set(plans.flatMap((plan) => plan.obstacles))];
  if (obstacles.length > 0) throw new CommandError(obstacles.join('\n'), EXIT.couldNotRun);
}

/** Plans every engine against the cluster as it is now: experiments, service account, permissions, targets, settings, probes. */
export function planEngines(engines: readonly Manifest[], options: PreflightOptions): Promise<EnginePlan[]> {
  return Promise.all(engines.map((manifest) => planEngine(manifest, options)));
}

async function planEngine(manifest: Manifest, options: PreflightOptions): Promise<EnginePlan> {
  const namespace = namespaceOf(manifest, options.namespace);
  const { metadata } = manifest.object;
  // Its structure has been checked when it was loaded.
  const engine = { ...manifest.object, metadata: { ...metadata, namespace } } as ChaosEngine;
  const accountProblem = await checkAccount(manifest, engine, options);
  const entries = engine.spec.experiments ?? [];
  const planned = await Promise.all(
    entries.map((entry, index) => planEntry(manifest, engine, entry, index, options)),
  );
  const problems = planned.flatMap((outcome) => outcome.problems);
  return {
    manifest,
    namespace,
    plans: planned.flatMap(({ plan }) => plan ?? []),
    obstacles: planned.flatMap(({ plan }) =>
      (plan?.problems ?? []).filter(({ code }) => code === 'NODE').map(({ message }) => message),
    ),
    // Without the account every permission is missing too; one sentence about it is enough.
    problems: accountProblem === undefined ? problems : [accountProblem, ...problems.filter(isNotPermission)],
  };
}

const ACCOUNT_FIELD = 'spec.chaosServiceAccount';

function isNotPermission({ field }: InputProblem): boolean {
  return field !== ACCOUNT_FIELD;
}

async function checkAccount(
  manifest: Manifest,
  engine: ChaosEngine,
  { client, signal }: PreflightOptions,
): Promise<InputProblem | undefined> {
  const name = engine.spec.chaosServiceAccount ?? 'default';
  const { namespace } = engine.metadata;
  if ((await client.find(SERVICE_ACCOUNTS, name, { namespace, signal })) !== undefined) return undefined;
  const message = `service account ${namespace}/${name} not found; create it with the permissions of the experiments`;
  return { ...placeOf(manifest, 'spec', 'chaosServiceAccount'), field: ACCOUNT_FIELD, message };
}

async function planEntry(
  manifest: Manifest,
  engine: ChaosEngine,
  entry: EngineExperiment,
  index: number,
  options: PreflightOptions,
): Promise<{ plan?: ExperimentPlan; problems: InputProblem[] }> {
  const { client, signal } = options;
  const { namespace } = engine.metadata;
  const experiment =
    options.experiments?.get(`${namespace}/${entry.name}`) ??
    (await client.find<ChaosExperiment>(CHAOS_EXPERIMENTS, entry.name, { namespace, signal }));
  if (experiment === undefined) {
    const message = `ChaosExperiment ${namespace}/${entry.name} not found; apply it, or correct the name`;
    const field = `spec.experiments[${index}].name`;
    return { problems: [{ ...placeOf(manifest, 'spec', 'experiments', index, 'name'), field, message }] };
  }
  const plan = await planExperiment({
    client,
    engine,
    experiment,
    engineExperiment: entry,
    registry: faultRegistry,
    clock: systemClock,
    random: Math.random,
    signal,
    ...(options.embedded === undefined ? {} : { localNode: localNode(options.embedded) }),
  });
  return { plan, problems: planProblems(manifest, engine, plan, index) };
}

function localNode({ capabilities }: Pick<EmbeddedCluster, 'capabilities'>): LocalNode {
  const namespaces = capabilities.find(({ name }) => name === 'namespaces');
  return { notIsolated: namespaces?.available === true ? undefined : (namespaces?.note ?? 'not known why') };
}

/** The problems of a plan, each at the field of the engine where it can be mended. Pure. */
function planProblems(
  manifest: Manifest,
  engine: ChaosEngine,
  plan: ExperimentPlan,
  index: number,
): InputProblem[] {
  const entry = ['spec', 'experiments', index] as const;
  const problems = plan.problems
    .filter(({ code }) => code !== 'PERMISSION' && code !== 'NODE')
    .map(({ code, message }): InputProblem => {
      // Targets are narrowed by variables as well; what is said of one of them is mended there.
      if (code === 'TARGET_SELECTION_ERROR' && !names(engine, index).some((name) => message.includes(name))) {
        const part = engine.spec.selectors === undefined ? 'appinfo' : 'selectors';
        return { ...placeOf(manifest, 'spec', part), field: `spec.${part}`, message };
      }
      // Messages about probes begin with the field's path already.
      if (message.startsWith('spec.')) return { ...placeOf(manifest, ...entry, 'spec', 'probe'), message };
      const field = `spec.experiments[${index}].spec.components.env`;
      return { ...placeOf(manifest, ...entry, 'spec', 'components', 'env'), field, message };
    });
  const missing = plan.permissions.filter(({ allowed }) => allowed === false);
  if (missing.length === 0) return problems;
  const account = `${engine.metadata.namespace}/${engine.spec.chaosServiceAccount ?? 'default'}`;
  const message = `service account ${account} lacks permissions that ${plan.fault} needs: ${formatPermissions(missing)}`;
  return [
    ...problems,
    { ...placeOf(manifest, 'spec', 'chaosServiceAccount'), field: ACCOUNT_FIELD, message },
  ];
}

/** Variables that the engine's entry sets. */
function names(engine: ChaosEngine, index: number): string[] {
  return (engine.spec.experiments[index]?.spec?.components?.env ?? []).map(({ name }) => name);
}

/** `delete/list pods, get jobs.batch`: permissions as people write them, grouped by resource. Pure. */
function formatPermissions(permissions: readonly Omit<PermissionCheck, 'allowed'>[]): string {
  const verbs = new Map<string, string[]>();
  for (const { namespace, group, resource, verb } of permissions) {
    const name = `${group === '' ? resource : `${resource}.${group}`} in namespace ${namespace}`;
    verbs.set(name, [...(verbs.get(name) ?? []), verb]);
  }
  return [...verbs].map(([name, list]) => `${list.join('/')} ${name}`).join(', ');
}
