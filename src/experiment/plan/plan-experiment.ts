import {
  type ChaosEngine,
  type ChaosExperiment,
  type EngineExperiment,
  type InjectionTarget,
  type KubeObject,
  type PermissionSource,
  PODS,
  type Pod,
  type PolicyRule,
} from '../../api/index.ts';
import { isForbidden } from '../../kube/client/errors.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import type { Clock, Random } from '../../kube/runtime/clock.ts';
import { describeError, errorOutputOf } from '../injection/errors.ts';
import type { Fault, FaultDependency, FaultRegistry, Injection } from '../injection/fault.ts';
import { isApiPulse } from '../injection/fault.ts';
import { Injector } from '../injection/injector.ts';
import { LedgerBook } from '../injection/ledger/ledger-book.ts';
import { MIN_STEP_MS } from '../injection/schedule/rounds.ts';
import type { ExperimentSettings } from '../injection/settings/compile-settings.ts';
import { countTargetsToBe, isToBe, type TargetsToBe } from '../targets/pods-to-be.ts';
import { resolveTargets } from '../targets/resolve-targets.ts';
import { type AccessAsker, askAbout } from './access-asker.ts';
import type { PlanOperator } from './experiment-env.ts';
import { type Impact, NO_IMPACT, observeImpact } from './findings.ts';
import type { LocalNode } from './node-obstacles.ts';
import { checkPermissions, formatPermissions, type PermissionCheck, permissionsOf } from './permissions.ts';
import { type JudgedSettings, judgeSettings, type PlanProblem } from './settings-problems.ts';

/** What a plan is made from. */
export interface PlanExperimentInput {
  readonly client: KubeClient;
  readonly engine: ChaosEngine;
  readonly experiment: ChaosExperiment;
  /** The engine's entry for it. */
  readonly engineExperiment: EngineExperiment;
  readonly registry: FaultRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal;
  /** Given where the nodes are those of an embedded cluster: then what their machine allows can be told beforehand. */
  readonly localNode?: LocalNode;
  /** Answers what the engine's service account may do. @default access reviews by the client */
  readonly asker?: AccessAsker;
  /** What the account needs beyond what the experiment does: its runner works under it as well. */
  readonly furtherPermissions?: readonly PolicyRule[];
  /** The one that would start the run. @default none is known */
  readonly operator?: PlanOperator;
  /** Whether blast radius and conflicts are looked for, which takes lists of what is around the targets. @default false */
  readonly withImpact?: boolean;
  /** Workloads that will be applied before the run, each with its namespace. @default none */
  readonly workloadsToBe?: readonly KubeObject[];
}

/** What a run would do; nothing of it was done. */
export interface ExperimentPlan extends Impact {
  readonly engine: string;
  readonly experiment: string;
  readonly fault: string;
  readonly durationSeconds: number;
  /** From the start of chaos checks to the verdict when nothing is slow: ramps and all durations. */
  readonly expectedSeconds: number;
  /** Lowest and highest wait from round to round, for faults that repeat. */
  readonly intervalSeconds: readonly [number, number] | undefined;
  readonly sequence: 'serial' | 'parallel';
  /** Rounds when nothing takes longer than the interval; 1 for faults that are held. */
  readonly rounds: number;
  readonly targets: readonly InjectionTarget[];
  /** Targets that are not in the cluster yet, by the workloads that bring them. */
  readonly targetsToBe: readonly TargetsToBe[];
  /** Of round 0. Later rounds select anew, and a percentage begins at a random pod each time. */
  readonly injections: readonly Injection[];
  readonly permissions: readonly PermissionCheck[];
  readonly permissionSource: PermissionSource;
  /** What pods need that the fault puts up itself; not looked for yet. */
  readonly dependencies: readonly FaultDependency[];
  /** Variables whose values come from elsewhere and could not be looked at. */
  readonly unknownVariables: readonly string[];
  readonly problems: readonly PlanProblem[];
  /** Why the fault may have no effect, as far as that shows beforehand. */
  readonly doubts: readonly string[];
}

/** Everything a run would do up to the first injection: settings, targets, injections, permissions; injects nothing. */
export async function planExperiment(input: PlanExperimentInput): Promise<ExperimentPlan> {
  const { engine, experiment, engineExperiment } = input;
  const judged = await judgeSettings(engine, experiment, engineExperiment, input);
  const { fault, settings, isSound, unknown, problems, faultName } = judged;
  const head = { engine: engine.metadata.name, experiment: engineExperiment.name, fault: faultName };
  if (fault === undefined || settings === undefined) return unknownFault(head, judged);
  const [{ hit, node }, { source, checks: permissions }] = await Promise.all([
    planHit(input, fault, settings).then(async (hit) => ({
      hit,
      node: await planNode(input, fault, isSound ? settings : undefined, hit),
    })),
    planPermissions(input, fault, settings),
  ]);
  const { lowMs, highMs } = settings.interval;
  return {
    ...head,
    durationSeconds: settings.durationMs / 1000,
    expectedSeconds: expectedSeconds(fault, settings, hit.targets.length + hit.countToBe),
    intervalSeconds: fault.shape === 'pulse' ? [lowMs / 1000, highMs / 1000] : undefined,
    sequence: settings.sequence,
    rounds: fault.shape === 'pulse' ? countSteps(settings) : 1,
    targets: hit.targets,
    targetsToBe: hit.targetsToBe,
    injections: hit.injections,
    blastRadius: hit.blastRadius,
    conflicts: hit.conflicts,
    permissions,
    permissionSource: source,
    dependencies: isSound ? dependenciesOf(fault, settings, unknown) : [],
    unknownVariables: unknown,
    doubts: isSound ? await planDoubts(input, fault, settings, hit.targets) : [],
    problems: [...problems, ...hit.problems, ...permissionProblems(permissions, settings), ...node],
  };
}

async function planDoubts(
  { client, signal = new AbortController().signal }: PlanExperimentInput,
  fault: Fault,
  { tunables }: ExperimentSettings,
  targets: readonly InjectionTarget[],
): Promise<readonly string[]> {
  if (fault.doubts === undefined) return [];
  const { observeDeclaredPorts } = await import('./declared-ports.ts');
  return fault.doubts(tunables, await observeDeclaredPorts(client, targets, signal));
}

/** What is named by a variable that could not be looked at is not known either. */
function dependenciesOf(
  fault: Fault,
  { tunables }: ExperimentSettings,
  unknown: readonly string[],
): readonly FaultDependency[] {
  return (fault.dependencies?.(tunables) ?? []).filter(({ setting }) => !unknown.includes(setting));
}

function unknownFault(
  head: Pick<ExperimentPlan, 'engine' | 'experiment' | 'fault'>,
  { unknown, problems }: JudgedSettings,
): ExperimentPlan {
  return {
    ...head,
    durationSeconds: 0,
    expectedSeconds: 0,
    intervalSeconds: undefined,
    sequence: 'parallel',
    rounds: 0,
    targets: [],
    targetsToBe: [],
    injections: [],
    ...NO_IMPACT,
    permissions: [],
    permissionSource: 'not-allowed-to-ask',
    dependencies: [],
    unknownVariables: unknown,
    doubts: [],
    problems,
  };
}

/** How often a fault acts when every recovery is quicker than the interval; random intervals count with their mean. Pure. */
export function countSteps({
  durationMs,
  interval,
}: Pick<ExperimentSettings, 'durationMs' | 'interval'>): number {
  const waitMs = Math.max((interval.lowMs + interval.highMs) / 2, MIN_STEP_MS);
  // Steps begin at 0, one wait, two waits, …, as long as that is before the end.
  return Math.max(1, Math.ceil(durationMs / waitMs));
}

/** Seconds that a run takes at least, without what starting and recovering take. Pure. */
export function expectedSeconds(
  fault: Pick<Fault, 'shape' | 'where'>,
  { durationMs, rampMs, sequence }: Pick<ExperimentSettings, 'durationMs' | 'rampMs' | 'sequence'>,
  targets: number,
): number {
  // What is held, and what helpers do, lasts the whole duration for each target of a series; rounds share it.
  const oneByOne = sequence === 'serial' && (fault.shape === 'sustained' || fault.where === 'node');
  return (2 * rampMs + durationMs * (oneByOne ? Math.max(1, targets) : 1)) / 1000;
}

async function planHit(
  input: PlanExperimentInput,
  fault: Fault,
  settings: ExperimentSettings,
): Promise<PlannedHit & Impact> {
  const hit = await planTargets(input, fault, settings);
  if (input.withImpact !== true) return { ...hit, ...NO_IMPACT };
  const { client, engine, signal = new AbortController().signal } = input;
  const { sequence, namespace } = settings;
  const targets = hit.injections.map(({ target }) => target);
  const owner = { namespace, name: engine.metadata.name };
  return { ...hit, ...(await observeImpact({ client, engine: owner, targets, sequence, signal })) };
}

type PlannedHit = Pick<ExperimentPlan, 'targets' | 'targetsToBe' | 'injections' | 'problems'> & {
  readonly countToBe: number;
};

const NOTHING_HIT = { targets: [], targetsToBe: [], countToBe: 0 };

async function planTargets(
  { client, clock, random, workloadsToBe = [], signal = new AbortController().signal }: PlanExperimentInput,
  fault: Fault,
  settings: ExperimentSettings,
): Promise<PlannedHit> {
  let hit: Pick<PlannedHit, 'targets' | 'targetsToBe' | 'countToBe'> = NOTHING_HIT;
  try {
    const found = await resolveTargets({ client, fault, settings, random, signal, workloadsToBe });
    const toBe = found.filter(isToBe);
    const targets = found.filter((target) => !isToBe(target));
    hit = {
      targets,
      targetsToBe: countTargetsToBe(toBe, workloadsToBe),
      // The node of one of these pods is one target.
      countToBe: fault.targets === 'node' ? Math.min(toBe.length, 1) : toBe.length,
    };
    if (isApiPulse(fault)) fault.witness?.plan(settings.tunables, settings.runId);
    // What would be injected is computed from targets that are there.
    if (toBe.length > 0 && targets.length === 0) return { ...hit, injections: [], problems: [] };
    const context = {
      client,
      clock,
      random,
      signal,
      recoveryTimeoutMs: settings.statusCheckTimeoutMs,
      note: () => {},
      tunables: settings.tunables,
    };
    const refuse = { write: () => Promise.reject(new Error('a plan writes nothing')) };
    const ledger = new LedgerBook({ fault, sink: refuse, clock, holdMs: 0 });
    const injector = new Injector({
      fault,
      tunables: settings.tunables,
      context,
      ledger,
      runId: settings.runId,
    });
    return { ...hit, injections: await injector.plan(targets, 0), problems: [] };
  } catch (error) {
    signal.throwIfAborted();
    const { errorCode } = errorOutputOf(error, 'ChaosInject');
    const problem = {
      ...{ code: errorCode, message: describeError(error) },
      ...(isForLackOfRights(error) && { mayNotLook: true as const }),
    };
    return { ...hit, injections: [], problems: [problem] };
  }
}

function isForLackOfRights(error: unknown): boolean {
  return isForbidden(error) || (error instanceof Error && isForLackOfRights(error.cause));
}

async function planPermissions(
  { client, engine, asker, furtherPermissions, signal = new AbortController().signal }: PlanExperimentInput,
  fault: Fault,
  settings: ExperimentSettings,
): ReturnType<typeof checkPermissions> {
  const needed = permissionsOf(fault, settings, furtherPermissions);
  const name = engine.spec.chaosServiceAccount || 'default';
  const account = { namespace: settings.namespace, name };
  return checkPermissions(asker ?? (await askAbout(client, account, undefined, signal)), needed, signal);
}

async function planNode(
  { localNode, client, signal = new AbortController().signal }: PlanExperimentInput,
  fault: Fault,
  settings: ExperimentSettings | undefined,
  { targets, countToBe }: PlannedHit,
): Promise<readonly PlanProblem[]> {
  if (localNode === undefined) return [];
  const { nodeObstacles } = await import('./node-obstacles.ts');
  const targetsShareTools =
    // Targets to be may bring programs of their own.
    countToBe === 0 &&
    fault.needs?.targetTools !== undefined &&
    !(await anyHasOwnPath(client, targets, signal));
  const found = await nodeObstacles({
    fault,
    tunables: settings?.tunables,
    node: localNode,
    targetsShareTools,
    signal,
  });
  return found.map((message) => ({ code: 'NODE', message }));
}

/** Whether a target says itself where its programs are. */
async function anyHasOwnPath(
  client: KubeClient,
  targets: readonly InjectionTarget[],
  signal: AbortSignal,
): Promise<boolean> {
  const pods = await Promise.all(
    targets.map(({ name, namespace = '' }) => client.find<Pod>(PODS, name, { namespace, signal })),
  );
  return pods
    .flatMap((pod) => pod?.spec?.containers ?? [])
    .some(
      ({ env, envFrom }) => (envFrom ?? []).length > 0 || (env ?? []).some(({ name }) => name === 'PATH'),
    );
}

function permissionProblems(
  permissions: readonly PermissionCheck[],
  { serviceAccount, namespace: home }: ExperimentSettings,
): PlanProblem[] {
  return permissions
    .filter(({ allowed }) => allowed === false)
    .map((missing) => ({
      code: 'PERMISSION',
      message:
        `service account ${home}/${serviceAccount ?? 'default'} may not ${formatPermissions([missing])}; ` +
        `grant it with a ${missing.namespace === '' ? 'ClusterRole and ClusterRoleBinding' : 'Role and RoleBinding'}`,
    }));
}
