import {
  CHAOS_EXPERIMENTS,
  type ChaosEngine,
  type ChaosExperiment,
  type EngineExperiment,
  type KubeObject,
  type PolicyRule,
  SERVICE_ACCOUNTS,
} from '../../api/index.ts';
import { keptSettingsOf, wantsDryRun } from '../../chaos/run-record.ts';
import { RUNNER_NEEDS } from '../../components/runner/permissions.ts';
import { lackingSettings, prunedOf, prunedText } from '../../engines/lacking-settings.ts';
import { type AccessAsker, askAbout, type ConnectWithToken } from '../../experiment/plan/access-asker.ts';
import type { LocalNode } from '../../experiment/plan/node-obstacles.ts';
import type { ExperimentPlan } from '../../experiment/plan/plan-experiment.ts';
import { planExperiment } from '../../experiment/plan/plan-experiment.ts';
import { faultRegistry } from '../../faults/index.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import { systemClock } from '../../kube/runtime/clock.ts';
import { BadInputError, formatProblem, type InputProblem } from '../errors.ts';
import { namespaceOf, placeOf } from '../manifests/apply.ts';
import type { Manifest } from '../manifests/load.ts';
import type { CheckedEngine } from './check-files.ts';
import {
  type Dependency,
  experimentDependencies,
  faultDependencies,
  runnerDependencies,
} from './dependencies.ts';
import { accountProblem, experimentProblem, planProblems } from './engine-problems.ts';
import { describeMissing, type FoundDependency, findDependencies } from './find-dependencies.ts';
import { type InstalledOperator, installedOperator, NO_OPERATOR } from './installed-operator.ts';
import { experimentOf, localNodeOf, type OwnCluster, refuse } from './obstacles.ts';
import { planRunOrder, type RunOrder } from './run-order.ts';

/** What looking at engines before their run needs. */
export interface PreflightOptions {
  readonly client: KubeClient;
  /** Namespace of engines that name none. */
  readonly namespace: string;
  /** Manifests that are not in the cluster yet and will be when the engines run. */
  readonly others?: readonly Manifest[];
  readonly signal: AbortSignal;
  /** The embedded cluster of this process, whose nodes are this machine. */
  readonly embedded?: OwnCluster;
  /** Lets permissions be asked for as the engine's own account. */
  readonly connectWithToken?: ConnectWithToken;
  /** Also looks for blast radius and conflicts, which a run does without. @default false */
  readonly withImpact?: boolean;
}

/** What one engine would do, and what speaks against it. */
export interface EnginePlan {
  readonly manifest: Manifest;
  readonly namespace: string;
  /** `namespace/name` of the account that runner and experiments work under. */
  readonly account: string;
  readonly dryRun: boolean;
  readonly order: RunOrder;
  readonly plans: readonly ExperimentPlan[];
  readonly dependencies: readonly FoundDependency[];
  readonly problems: readonly InputProblem[];
  /** Of an engine in a workflow: what speaks against it, and may be settled by an earlier step. */
  readonly doubts?: readonly string[];
  /** What this machine does not allow; the input is not to blame. */
  readonly obstacles: readonly string[];
}

/**
 * Refuses engines that have problems, and those that this machine cannot run.
 *
 * @throws BadInputError with all problems · CommandError (could not run) with all obstacles
 */
export function refuseProblems(plans: readonly EnginePlan[]): void {
  // No input mends what the machine lacks.
  refuse(plans.flatMap((plan) => plan.obstacles));
  const problems = plans.flatMap((plan) => plan.problems);
  if (problems.length > 0) throw new BadInputError(problems);
}

/** Plans every engine against the cluster as it is now: experiments, service account, permissions, targets, settings, probes. */
export async function planEngines(
  engines: readonly Manifest[],
  options: PreflightOptions,
): Promise<EnginePlan[]> {
  const node = await localNodeOf(options);
  return Promise.all(engines.map((manifest) => planEngine(manifest, { ...options, node })));
}

/** What can be said of an engine that its files speak against: no cluster was asked. Pure. */
export function planOfFiles({ manifest, namespace, problems }: CheckedEngine): EnginePlan {
  // Its structure has been checked when it was loaded.
  const engine = manifest.object as ChaosEngine;
  return {
    manifest,
    namespace,
    account: `${namespace}/${engine.spec.chaosServiceAccount || 'default'}`,
    dryRun: wantsDryRun(engine),
    order: planRunOrder(engine, () => 0),
    plans: [],
    dependencies: [],
    problems,
    obstacles: [],
  };
}

interface EngineOptions extends PreflightOptions {
  readonly node: LocalNode | undefined;
}

async function planEngine(manifest: Manifest, options: EngineOptions): Promise<EnginePlan> {
  const namespace = namespaceOf(manifest, options.namespace);
  const { metadata } = manifest.object;
  // Its structure has been checked when it was loaded.
  const engine = { ...manifest.object, metadata: { ...metadata, namespace } } as ChaosEngine;
  const planned = plannedObjects(options);
  const { client, signal } = options;
  const account = { namespace, name: engine.spec.chaosServiceAccount || 'default' };
  const state = await accountState(account, planned, options);
  const asker =
    state === 'present' ? await askAbout(client, account, options.connectWithToken, signal) : NOBODY_TO_ASK;
  const entries = engine.spec.experiments ?? [];
  const settings = keptSettingsOf(engine.spec);
  const pruned =
    Object.keys(settings).length === 0 ? [] : prunedOf(settings, await lackingSettings(client, signal));
  try {
    const operator =
      options.embedded === undefined ? await installedOperator(client, namespace, signal) : NO_OPERATOR;
    const entryOptions: EntryOptions = { ...options, planned, asker, operator };
    const planOf = (entry: EngineExperiment, index: number) =>
      planEntry(manifest, engine, entry, index, entryOptions);
    const [ofRunner, ...entryPlans] = await Promise.all([
      lookFor(manifest, runnerDependencies(engine, operator.runnerImage), entryOptions),
      ...entries.map(planOf),
    ]);
    const seconds = new Map(entryPlans.map(({ plan }) => [plan?.experiment, plan?.expectedSeconds ?? 0]));
    return {
      manifest,
      namespace,
      account: `${account.namespace}/${account.name}`,
      dryRun: wantsDryRun(engine),
      order: planRunOrder(engine, (name) => seconds.get(name) ?? 0),
      plans: entryPlans.flatMap(({ plan }) => plan ?? []),
      dependencies: unique([...ofRunner.dependencies, ...entryPlans.flatMap((one) => one.dependencies)]),
      obstacles: entryPlans.flatMap(({ plan }) =>
        (plan?.problems ?? []).filter(({ code }) => code === 'NODE').map(({ message }) => message),
      ),
      problems: uniqueProblems([
        ...(state === 'missing' ? [accountProblem(manifest, account)] : []),
        ...pruned.map((field) => ({
          ...placeOf(manifest, 'spec'),
          field,
          code: 'FIELD_DROPPED' as const,
          message: prunedText([field]),
        })),
        ...ofRunner.problems,
        ...entryPlans.flatMap(({ problems }) => problems),
      ]),
    };
  } finally {
    asker.close();
  }
}

/** Of an account that is not there nothing can be asked; that it is missing is said once. */
const NOBODY_TO_ASK: AccessAsker = {
  source: 'not-allowed-to-ask',
  isAllowed: () => Promise.resolve(undefined),
  close: () => {},
};

/** `Kind/namespace/name` of everything that the manifests will have made by then. */
function plannedObjects({ others = [], namespace }: PreflightOptions): ReadonlySet<string> {
  return new Set(
    others.map((one) => `${one.object.kind}/${namespaceOf(one, namespace)}/${one.object.metadata.name}`),
  );
}

/** The workloads of manifests that are not applied yet. The embedded cluster of this process has them already. */
function workloadsToBe({ others = [], namespace, embedded }: PreflightOptions): KubeObject[] {
  if (embedded !== undefined) return [];
  return others.map(({ object, ...rest }) => {
    const { uid: _, ...metadata } = object.metadata;
    return { ...object, metadata: { ...metadata, namespace: namespaceOf({ object, ...rest }, namespace) } };
  });
}

async function accountState(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  planned: ReadonlySet<string>,
  { client, signal }: PreflightOptions,
): Promise<'present' | 'planned' | 'missing'> {
  if ((await client.find(SERVICE_ACCOUNTS, name, { namespace, signal })) !== undefined) return 'present';
  return planned.has(`ServiceAccount/${namespace}/${name}`) ? 'planned' : 'missing';
}

interface EntryOptions extends EngineOptions {
  readonly planned: ReadonlySet<string>;
  readonly asker: AccessAsker;
  readonly operator: InstalledOperator;
}

interface EntryPlan {
  readonly plan?: ExperimentPlan;
  readonly dependencies: readonly FoundDependency[];
  readonly problems: readonly InputProblem[];
}

async function planEntry(
  manifest: Manifest,
  engine: ChaosEngine,
  entry: EngineExperiment,
  index: number,
  options: EntryOptions,
): Promise<EntryPlan> {
  const { client, signal, node } = options;
  const { namespace = '' } = engine.metadata;
  const experiment =
    experimentOf(options.others ?? [], namespace, entry.name, options.namespace) ??
    (await client.find<ChaosExperiment>(CHAOS_EXPERIMENTS, entry.name, { namespace, signal }));
  if (experiment === undefined) {
    return { dependencies: [], problems: [experimentProblem(manifest, namespace, entry.name, index)] };
  }
  const { needed, problems } = experimentDependencies(engine, experiment, entry, index);
  const [plan, found] = await Promise.all([
    planExperiment({
      client,
      engine,
      experiment,
      engineExperiment: entry,
      registry: faultRegistry,
      clock: systemClock,
      random: Math.random,
      signal,
      asker: options.asker,
      furtherPermissions: runnerNeeds(needed),
      operator: options.operator,
      withImpact: options.withImpact ?? false,
      workloadsToBe: workloadsToBe(options),
      localNode: node,
    }),
    lookFor(manifest, needed, options),
  ]);
  const ofFault = await lookFor(manifest, faultDependencies(plan.dependencies, namespace, index), options);
  return {
    plan,
    dependencies: [...found.dependencies, ...ofFault.dependencies],
    problems: [
      ...planProblems(manifest, engine, plan, index),
      ...problems.map((message) => ({
        ...placeOf(manifest, 'spec', 'experiments', index),
        code: 'FIELD_INVALID' as const,
        message,
      })),
      ...found.problems,
      ...ofFault.problems,
    ],
  };
}

/** The runner looks for the config maps that it mounts. */
function runnerNeeds(needed: readonly Dependency[]): readonly PolicyRule[] {
  const mountsConfigMaps = needed.some(({ kind, key }) => kind === 'ConfigMap' && key === undefined);
  const reading = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
  return mountsConfigMaps ? [...RUNNER_NEEDS, reading] : RUNNER_NEEDS;
}

async function lookFor(
  manifest: Manifest,
  needed: readonly Dependency[],
  { client, signal, planned, embedded, operator }: EntryOptions,
): Promise<{ dependencies: readonly FoundDependency[]; problems: readonly InputProblem[] }> {
  const dependencies = await findDependencies(needed, {
    client,
    signal,
    planned,
    operator,
    ...(embedded === undefined ? {} : { knowsImage: (image) => embedded.knowsImage(image) }),
  });
  const problems = dependencies
    .filter(({ state }) => state === 'missing')
    .map((one) => ({
      ...placeOf(manifest, ...pathOf(one.field)),
      field: one.field,
      code: 'DEPENDENCY_MISSING' as const,
      message: describeMissing(one),
    }));
  return { dependencies, problems };
}

/** `spec.experiments[0].name` as the path of a node. Paths into other objects lead to the engine as a whole. */
function pathOf(field: string): (string | number)[] {
  if (!field.startsWith('spec.')) return [];
  return field
    .split(/[.[\]]+/)
    .flatMap((part) => (part === '' ? [] : /^\d+$/.test(part) ? Number(part) : part));
}

/** What is wrong with the engine is found for each of its experiments, and said once. */
function uniqueProblems(problems: readonly InputProblem[]): InputProblem[] {
  return [...new Map(problems.map((problem) => [formatProblem(problem), problem])).values()];
}

/** What several experiments need is listed once. */
function unique(dependencies: readonly FoundDependency[]): FoundDependency[] {
  const byIdentity = new Map(
    dependencies.map((one) => [[one.kind, one.namespace, one.name, one.key].join(' '), one]),
  );
  return [...byIdentity.values()];
}
