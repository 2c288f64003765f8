import { ENGINE_REASONS } from '../../../chaos/errors/engine-reasons.ts';
import { errorPhaseOf } from '../error-phase.ts';
import { errorText } from '../error-words.ts';
import type { EngineReport, NodeReport, RunReport } from '../model.ts';
import {
  type AccountEngine,
  type AccountNode,
  accountSteps,
  type RunAccount,
  timeOfSeconds,
  verdictOfEngine,
  workflowPhaseOf,
} from './account.ts';

/** What a report says beside the account. Times are milliseconds since the epoch. */
export interface AboutAccount {
  /** Version of Turnsole that makes the report. */
  readonly turnsole: string;
  readonly startedMs: number;
  readonly endedMs: number;
  /** Whether a user has stopped the run. */
  readonly isStopped: boolean;
  /** Why it never began; null for a run that its agent has reported, or may still report. */
  readonly problem: string | null;
}

/** The report of a run known only by an agent's account: what `turnsole run --json` writes, without what agents do not report. Pure. */
export function accountReport(account: RunAccount, about: AboutAccount): RunReport {
  const engines = account.nodes.flatMap((node) =>
    node.engine ? [engineReport(account, node, node.engine)] : [],
  );
  const { isWorkflow } = account;
  const whole = account.nodes.find(({ id }) => id === account.name);
  const message = account.message || whole?.message || '';
  if (about.problem !== null) return { ...frameOf(about), ...unbegun(account, about.problem) };
  return {
    ...frameOf(about),
    engines: isWorkflow ? engines.map((engine) => ({ ...engine, workflow: account.name })) : engines,
    ...(isWorkflow && {
      workflows: [
        {
          namespace: account.namespace,
          name: account.name,
          phase: workflowPhaseOf(account) || 'Pending',
          ...(message !== '' && { message }),
          ...timesOf(whole),
          nodes: account.nodes.map(nodeReport),
          engines: engines.map(({ namespace, name }) => `${namespace}/${name}`),
          timeline: accountSteps(account),
        },
      ],
    }),
  };
}

function frameOf({ turnsole, startedMs, endedMs, isStopped }: AboutAccount) {
  const [startedAt, endedAt] = [new Date(startedMs).toISOString(), new Date(endedMs).toISOString()];
  return { turnsole, startedAt, endedAt, aborted: isStopped };
}

/** A run that never began has no steps, and must not look as one of nothing, which CI systems take for a success. */
function unbegun(
  { namespace, name, phase, isWorkflow }: RunAccount,
  reason: string,
): Pick<RunReport, 'engines' | 'workflows'> {
  if (isWorkflow) {
    return {
      engines: [],
      workflows: [{ namespace, name, phase, reason, nodes: [], engines: [], timeline: [] }],
    };
  }
  const experiment = { name, verdict: 'Error', probes: [], targets: [], reason };
  return { engines: [{ namespace, name, status: phase, reason, experiments: [experiment], timeline: [] }] };
}

function engineReport(
  { namespace, isWorkflow }: RunAccount,
  node: AccountNode,
  engine: AccountEngine,
): EngineReport {
  const [, code, reason] = /^(\w+) : (.*)$/s.exec(engine.failStep) ?? [];
  const why = errorText(engine.failStep);
  const phase = reason === undefined ? undefined : errorPhaseOf(reason);
  const verdict = verdictOfEngine(node);
  // The operator has given it up before anything of it began.
  const isGivenUp = code !== undefined && Object.hasOwn(ENGINE_REASONS, code) && engine.probes === undefined;
  const isPlan = engine.isDryRun === true && verdict !== 'Error';
  return {
    namespace: engine.namespace || namespace,
    name: engine.name,
    ...(isWorkflow && node.name !== '' && { step: node.name }),
    status: node.phase || 'unknown',
    ...(engine.isDryRun === true && { dryRun: true }),
    ...(isGivenUp && { reason: why }),
    experiments: [
      {
        name: engine.experiment || node.name,
        verdict: isGivenUp || isPlan ? 'N/A' : verdict,
        ...(engine.phase !== '' && { phase: engine.phase }),
        ...(engine.probes !== undefined && { probeSuccessPercentage: String(engine.percentage) }),
        probes: engine.probes ?? [],
        targets: engine.targets,
        ...(code !== undefined && { errorCode: code }),
        ...(phase !== undefined && { errorPhase: phase }),
        ...(why !== '' && !isGivenUp && { reason: why }),
        ...timesOf(node),
      },
    ],
    timeline: accountSteps({ nodes: [node] }),
  };
}

function nodeReport(node: AccountNode): NodeReport {
  return {
    name: node.id,
    displayName: node.name,
    type: node.type === 'ChaosEngine' ? 'Pod' : node.type,
    phase: PHASES[node.phase] ?? (node.phase || 'Pending'),
    ...(node.message !== '' && { message: node.message }),
    ...timesOf(node),
  };
}

/** Agents give nodes with an engine phases of their own. */
const PHASES: Readonly<Record<string, string>> = {
  Completed: 'Succeeded',
  Completed_With_Probe_Failure: 'Failed',
  Completed_With_Error: 'Error',
};

function timesOf(node: AccountNode | undefined) {
  const [startedAt, endedAt] = [timeOfSeconds(node?.startedAt ?? ''), timeOfSeconds(node?.finishedAt ?? '')];
  return { ...(startedAt !== undefined && { startedAt }), ...(endedAt !== undefined && { endedAt }) };
}
