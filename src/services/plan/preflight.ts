import { isForbidden, unless } from '@turnsole/kube/client/errors';
import { NAMESPACES, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import type { ChaosEngine, EngineExperiment } from '../../api/index.ts';
import { keptSettingsOf, wantsDryRun } from '../../chaos/run-record.ts';
import { lackingSettings, prunedOf, prunedText } from '../../engines/lacking-settings.ts';
import { type AccessAsker, askAbout } from '../../experiment/plan/access-asker.ts';
import type { ExperimentPlan } from '../../experiment/plan/experiment-plan.ts';
import type { LocalNode } from '../../experiment/plan/node-obstacles.ts';
import { BadInputError, formatProblem, type InputProblem } from '../errors.ts';
import { namespaceOf, placeOf } from '../manifests/apply.ts';
import type { Manifest } from '../manifests/load.ts';
import type { CheckedEngine } from './check-files.ts';
import { runnerDependencies } from './dependencies.ts';
import { accountProblem, namespaceProblem, podProblem } from './engine-problems.ts';
import type { FoundDependency } from './find-dependencies.ts';
import { installedOperator, NO_OPERATOR } from './installed-operator.ts';
import { localNodeOf, refuse } from './obstacles.ts';
import { type EntryOptions, lookFor, planEntry } from './plan-entry.ts';
import type { PreflightOptions } from './preflight-options.ts';
import { planRunOrder, type RunOrder } from './run-order.ts';
import { runnerTrial, type TrialPod } from './trial-pods.ts';
import { type TriedPods, tryPods } from './try-pods.ts';

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
  /** For an engine in a workflow: present problems that an earlier step may settle. */
  readonly doubts?: readonly InputProblem[];
  /** Objects that the present rights do not allow to read, beside those that its experiments list themselves. */
  readonly notSeen?: readonly string[];
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

/** The plan of an engine whose files have problems: without a question to the cluster. Pure. */
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

async function planEngine(
  manifest: Manifest,
  options: PreflightOptions & { readonly node: LocalNode | undefined },
): Promise<EnginePlan> {
  const namespace = namespaceOf(manifest, options.namespace);
  const { metadata } = manifest.object;
  // Its structure has been checked when it was loaded.
  const engine = { ...manifest.object, metadata: { ...metadata, namespace } } as ChaosEngine;
  const planned = plannedObjects(options);
  const { client, signal } = options;
  const account = { namespace, name: engine.spec.chaosServiceAccount || 'default' };
  if (await isNamespaceMissing(namespace, planned, options)) {
    // All that would be in it is missing with it.
    return planOfFiles({ manifest, namespace, problems: [namespaceProblem(manifest, namespace)] });
  }
  const state = await accountState(account, planned, options);
  const asker =
    state === 'present' || state === 'unknown'
      ? await askAbout(client, account, options.connectWithToken, signal)
      : NOBODY_TO_ASK;
  const entries = engine.spec.experiments ?? [];
  const settings = keptSettingsOf(engine.spec);
  const pruned =
    Object.keys(settings).length === 0 ? [] : prunedOf(settings, await lackingSettings(client, signal));
  try {
    const operator =
      options.embedded === undefined
        ? await installedOperator(client, namespace, signal)
        : { ...NO_OPERATOR, knownImages: options.embedded.knownImages };
    const entryOptions: EntryOptions = { ...options, planned, asker, operator };
    const planOf = (entry: EngineExperiment, index: number) =>
      planEntry(manifest, engine, entry, index, entryOptions);
    const [ofRunner, ...entryPlans] = await Promise.all([
      lookFor(manifest, runnerDependencies(engine, operator.runnerImage), entryOptions),
      ...entries.map(planOf),
    ]);
    const trials = [
      runnerTrial(engine, entryPlans[0]?.experiment, operator),
      ...entryPlans.flatMap((one) => one.trials ?? []),
    ];
    const tried = await triedPods(trials, state === 'present', { ...options, namespace, asker });
    const seconds = new Map(entryPlans.map(({ plan }) => [plan?.experiment, plan?.expectedSeconds ?? 0]));
    return {
      manifest,
      namespace,
      account: `${account.namespace}/${account.name}`,
      dryRun: wantsDryRun(engine),
      order: planRunOrder(engine, (name) => seconds.get(name) ?? 0),
      plans: entryPlans.flatMap(({ plan }) => plan ?? []),
      dependencies: unique([...ofRunner.dependencies, ...entryPlans.flatMap((one) => one.dependencies)]),
      notSeen: [
        ...(state === 'unknown' ? [`service account ${account.namespace}/${account.name}`] : []),
        ...entryPlans.flatMap((one) => one.notSeen ?? []),
        ...tried.notSeen,
      ],
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
        ...tried.refused.map((refused) => podProblem(manifest, engine, refused)),
      ]),
    };
  } finally {
    asker.close();
  }
}

/**
 * Asks the cluster about the pods of a run. `turnsole run` with an embedded cluster leaves it out: the run itself shows it in no time.
 *
 * @param hasAccount whether their account is there, without which the cluster refuses every pod for that reason alone
 */
async function triedPods(
  trials: readonly TrialPod[],
  hasAccount: boolean,
  {
    client,
    asker,
    namespace,
    signal,
    embedded,
    withImpact,
  }: PreflightOptions & { readonly asker: AccessAsker },
): Promise<TriedPods> {
  if (embedded !== undefined && withImpact !== true) return { refused: [], notSeen: [] };
  const clients = asker.client === undefined ? [client] : [client, asker.client];
  const asked = hasAccount ? trials : trials.map(withoutAccount);
  return tryPods(asked, { clients, namespace, signal });
}

function withoutAccount(trial: TrialPod): TrialPod {
  const { serviceAccountName: _, ...spec } = trial.pod.spec ?? { containers: [] };
  return { ...trial, pod: { ...trial.pod, spec } };
}

/** For a missing account: it cannot be asked about anything, and is reported as missing once. */
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

/** Whether it is known that the namespace is not there, and that the manifests bring none of that name. */
async function isNamespaceMissing(
  namespace: string,
  planned: ReadonlySet<string>,
  { client, signal }: PreflightOptions,
): Promise<boolean> {
  if ([...planned].some((key) => key.startsWith('Namespace/') && key.endsWith(`/${namespace}`))) return false;
  const found = await unless(
    isForbidden,
    client.find(NAMESPACES, namespace, { signal }).then((object) => ({ object })),
  );
  return found !== undefined && found.object === undefined;
}

async function accountState(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  planned: ReadonlySet<string>,
  { client, signal }: PreflightOptions,
): Promise<'present' | 'planned' | 'missing' | 'unknown'> {
  try {
    if ((await client.find(SERVICE_ACCOUNTS, name, { namespace, signal })) !== undefined) return 'present';
  } catch (error) {
    if (!isForbidden(error)) throw error;
    if (!planned.has(`ServiceAccount/${namespace}/${name}`)) return 'unknown';
  }
  return planned.has(`ServiceAccount/${namespace}/${name}`) ? 'planned' : 'missing';
}

/** Problems of the engine are found for each of its experiments, and reported once. */
function uniqueProblems(problems: readonly InputProblem[]): InputProblem[] {
  return [...new Map(problems.map((problem) => [formatProblem(problem), problem])).values()];
}

/** Lists once what several experiments need. */
function unique(dependencies: readonly FoundDependency[]): FoundDependency[] {
  const byIdentity = new Map(
    dependencies.map((one) => [[one.kind, one.namespace, one.name, one.key].join(' '), one]),
  );
  return [...byIdentity.values()];
}
