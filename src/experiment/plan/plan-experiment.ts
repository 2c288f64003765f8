import { isForbidden } from '@turnsole/kube/client/errors';
import { TargetSelectionError } from '../injection/errors.ts';
import type { Fault, FaultDependency } from '../injection/fault.ts';
import { objectOf } from '../injection/ledger/ledger-steps.ts';
import { MIN_STEP_MS } from '../injection/schedule/rounds.ts';
import type { ExperimentSettings } from '../injection/settings/compile-settings.ts';
import { healthProblem } from '../targets/health/check-health.ts';
import { healthSubject } from '../targets/health/health-subject.ts';
import { askAbout } from './access-asker.ts';
import type { ExperimentPlan, PlanExperimentInput } from './experiment-plan.ts';
import { NO_IMPACT } from './findings.ts';
import { checkPermissions, formatPermissions, type PermissionCheck, permissionsOf } from './permissions.ts';
import { planNode } from './plan-node.ts';
import { planShell } from './plan-shell.ts';
import { planHit } from './plan-targets.ts';
import { type JudgedSettings, judgeSettings, type PlanProblem } from './settings-problems.ts';

/** Everything a run would do up to the first injection: settings, targets, injections, permissions; injects nothing. */
export async function planExperiment(input: PlanExperimentInput): Promise<ExperimentPlan> {
  const { engine, experiment, engineExperiment } = input;
  const judged = await judgeSettings(engine, experiment, engineExperiment, input);
  const { fault, settings, isSound, unknown, problems, faultName } = judged;
  const head = { engine: engine.metadata.name, experiment: engineExperiment.name, fault: faultName };
  if (fault === undefined || settings === undefined) return unknownFault(head, judged);
  const [{ hit, node, shell }, { source, checks: permissions }, unhealthy] = await Promise.all([
    planHit(input, fault, settings).then(async (hit) => ({
      hit,
      node: await planNode(input, fault, isSound ? settings : undefined, hit),
      shell: await planShell(input, fault, hit.targets),
    })),
    planPermissions(input, fault, settings),
    isSound && input.withImpact === true ? planHealth(input, fault, settings) : undefined,
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
    unread: judged.unread,
    // Pods that the manifests bring are not there yet.
    ...(unhealthy !== undefined && hit.countToBe === 0 && hit.problems.length === 0 && { unhealthy }),
    doubts: isSound ? await planDoubts(input, fault, settings, hit) : [],
    problems: [
      ...[...problems, ...hit.problems, ...shell],
      ...[...permissionProblems(permissions, settings), ...node],
    ],
  };
}

async function planDoubts(
  { client, signal = new AbortController().signal }: PlanExperimentInput,
  fault: Fault,
  { tunables }: ExperimentSettings,
  { targets, injections }: Pick<ExperimentPlan, 'targets' | 'injections'>,
): Promise<readonly string[]> {
  const idle = fault.idleReason?.(tunables);
  if (idle !== undefined) return [`has no effect: ${idle}`];
  const ofTargets = injections.flatMap(({ target, idle: none, bounded }) => [
    ...(none === undefined ? [] : [`has no effect on ${objectOf(target)}: ${none}`]),
    ...(bounded === undefined ? [] : [`does less than asked for to ${objectOf(target)}: ${bounded}`]),
  ]);
  if (fault.doubts === undefined) return ofTargets;
  const { observeDeclaredPorts } = await import('./declared-ports.ts');
  return [...ofTargets, ...fault.doubts(tunables, await observeDeclaredPorts(client, targets, signal))];
}

/** Leaves out dependencies that are named by an unreadable variable: they are unknown as well. */
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
    unread: [],
    doubts: [],
    problems,
  };
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
  // A held fault, and the work of helpers, lasts the whole duration for each target of a series; rounds share it.
  const oneByOne = sequence === 'serial' && (fault.shape === 'sustained' || fault.where === 'node');
  return (2 * rampMs + durationMs * (oneByOne ? Math.max(1, targets) : 1)) / 1000;
}

/**
 * What the check before chaos would find now; undefined when the application is healthy, is not checked, or may not be looked at (which the plan
 * of the targets reports).
 */
async function planHealth(
  { client, signal = new AbortController().signal }: PlanExperimentInput,
  fault: Fault,
  settings: ExperimentSettings,
): Promise<string | undefined> {
  const subject = healthSubject(fault, settings);
  if (subject === undefined) return undefined;
  try {
    return await healthProblem({ client, signal, ...subject });
  } catch (error) {
    if (error instanceof TargetSelectionError || isForbidden(error)) return undefined;
    throw error;
  }
}
