import { withoutStop } from '../error-words.ts';
import { reasonsOf } from '../reasons.ts';
import { brokenSteps, refusalOf } from './broken-steps.ts';
import type { ExperimentFacts, RunFacts } from './facts.ts';
import { isEndedByProbe, judgedBy, NOTHING_DURING, NOTHING_JUDGED } from './judged.ts';
import type { RunOutcome } from './run-outcome.ts';
import { RUN_STATES, type RunState, stateRow } from './run-states.ts';

const HELD = 'the application held through the chaos';
const NOTHING_INJECTED = 'nothing was injected';

/**
 * Composes the outcome of a run. The first row that applies decides:
 *
 * | found | outcome |
 * | --- | --- |
 * | a user stopped it | Stopped |
 * | it could not be carried out; its workflow was refused or never began | Could not run |
 * | it is not over | Running or Pending |
 * | an experiment failed | Failed, with its probes, and with steps that failed beside it |
 * | an experiment has no verdict, or was stopped on its own | Error, Stopped |
 * | the workflow failed although no experiment did | Failed, or Error as the workflow, with the steps |
 * | a fault's engine was not made by a workflow that succeeded | Could not run |
 * | everything passed | Passed, and whether probes judged it |
 *
 * Only what probes decided has a score. Pure.
 */
export function outcomeOf(facts: RunFacts): RunOutcome {
  const { isStopped, problem, workflow, experiments, isOver } = facts;
  if (isStopped) return plain('stopped', 'run');
  if (problem !== undefined)
    return plain(facts.isRefused === true ? 'refused' : 'cannotStart', 'run', problem);
  if (!isOver) return plain(isBegun(facts) ? 'running' : 'pending', 'run');
  const refusal = workflow === undefined || experiments.length > 0 ? undefined : refusalOf(workflow);
  if (refusal !== undefined) return plain('refused', 'run', refusal);
  const broken = workflow === undefined ? undefined : brokenSteps(workflow);
  return ofChaos(experiments, broken) ?? ofWorkflow(facts, broken);
}

/** What experiments decide by themselves; undefined where each passed, or made its plan, or there is none. */
function ofChaos(
  experiments: readonly ExperimentFacts[],
  broken: string | undefined,
): RunOutcome | undefined {
  const isScored = experiments.some((one) => judgedBy(one) !== 'nothing');
  const failed = experiments.filter(hasFailed);
  if (failed.length > 0) {
    const reason = [...reasonsIn(failed, experiments), ...(broken === undefined ? [] : [broken])].join('; ');
    const byProbe = failed.some(({ probes }) => probes.some(({ verdict }) => verdict === 'Failed'));
    return { ...plain(byProbe ? 'failedByProbe' : 'failed', 'chaos', reason), isScored };
  }
  const open = experiments.filter((one) => one.verdict !== 'Pass' && !isPlanned(one));
  const [first] = open;
  if (first === undefined) return undefined;
  const reason = [...reasonsIn(open, experiments), ...(broken === undefined ? [] : [broken])].join('; ');
  // A workflow fails with its engine; what came of the rest of it does not matter then.
  if (open.every(isNotSteady)) return plain('notSteady', 'chaos', reason);
  const isOnlyStopped = open.every(({ verdict }) => verdict === 'Stopped');
  return plain(isOnlyStopped ? 'stoppedAlone' : 'error', 'chaos', reason);
}

/** What is left to decide when no experiment is against it. */
function ofWorkflow({ workflow, experiments, notMade }: RunFacts, broken: string | undefined): RunOutcome {
  const isPlan = experiments.some(isPlanned);
  const unjudged = experiments.filter((one) => judgedBy(one) === 'nothing').map(({ name }) => name);
  const after = experiments.filter((one) => judgedBy(one) === 'after').map(({ name }) => name);
  const isUnjudged = unjudged.length > 0 && unjudged.length === experiments.length;
  const isUnseen = after.length > 0 && unjudged.length + after.length === experiments.length;
  const shown = isUnjudged ? NOTHING_JUDGED : isUnseen ? NOTHING_DURING : HELD;
  if (broken !== undefined) {
    const rest = experiments.length === 0 ? (notMade.length > 0 ? NOTHING_INJECTED : undefined) : shown;
    const reason = [broken, ...(rest === undefined || isPlan ? [] : [rest])].join('; ');
    return plain(workflow?.phase === 'Error' ? 'error' : 'failedByStep', 'run', reason);
  }
  if (notMade.length > 0) {
    const reason = `the chaos of ${notMade.join(', ')} never began, so there is no verdict`;
    return plain('cannotStart', 'run', reason);
  }
  if (isPlan) return plain('dryRun', 'chaos', NOTHING_INJECTED);
  if (experiments.length === 0) {
    // An engine without any experiment has judged nothing; a workflow may have no chaos in it.
    return workflow === undefined
      ? plain('error', 'chaos', 'it has no experiment')
      : plain('unchecked', 'run', `it has no faults: ${NOTHING_INJECTED}`);
  }
  if (isUnjudged) return plain('unchecked', 'chaos', NOTHING_JUDGED);
  const doubts = [
    ...(unjudged.length === 0 ? [] : [`${NOTHING_JUDGED} during ${unjudged.join(', ')}`]),
    ...(after.length === 0
      ? []
      : [after.length === experiments.length ? NOTHING_DURING : `${NOTHING_DURING} of ${after.join(', ')}`]),
  ];
  const reason = doubts.length === 0 ? undefined : doubts.join('; ');
  return { ...plain('passed', 'chaos', reason), isScored: true };
}

function plain(state: RunState, by: RunOutcome['by'], reason?: string): RunOutcome {
  const exitCode = stateRow(state)?.exitCode;
  return {
    ...{ state, word: RUN_STATES[state].word, by, isScored: false },
    ...(exitCode !== undefined && { exitCode }),
    ...(reason !== undefined && { reason }),
  };
}

function isBegun({ workflow, experiments }: RunFacts): boolean {
  return workflow === undefined
    ? experiments.length > 0
    : workflow.phase === 'Running' || workflow.nodes.length > 0;
}

/** Whether the application was broken before the fault, by a probe or by the health of its pods, nodes or resources. */
function isNotSteady({ verdict, errorCode, errorPhase }: ExperimentFacts): boolean {
  if (verdict !== 'Error') return false;
  return errorCode === 'NOT_STEADY' || (errorCode === 'STATUS_CHECKS_ERROR' && errorPhase === 'PreChaos');
}

/** A probe that stops its experiment by `stopOnFailure` has judged it as one that lets it go on. */
function hasFailed({ verdict, probes }: ExperimentFacts): boolean {
  return verdict === 'Fail' || isEndedByProbe(verdict, probes);
}

/** An experiment that was not started has made no plan. */
function isPlanned({ isDryRun, verdict, skipped }: ExperimentFacts): boolean {
  return isDryRun && verdict === 'N/A' && skipped !== true;
}

/** Why experiments of a run did not pass. */
function reasonsIn(experiments: readonly ExperimentFacts[], all: readonly ExperimentFacts[]): string[] {
  const isOneOfSeveral = ({ name }: ExperimentFacts): boolean =>
    all.filter((other) => other.name === name).length > 1;
  return experiments.map((one) => reasonWords(one, isOneOfSeveral(one) ? one.step : undefined));
}

/** Why an experiment did not pass: `pod-delete: probe users: …`; of several of its name `pod-delete (second-step): …`. */
function reasonWords(experiment: ExperimentFacts, step: string | undefined): string {
  const [first, ...more] = reasonsOf(experiment);
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return `${experiment.name}${step === undefined ? '' : ` (${step})`}: ${first === undefined ? (WITHOUT_REASON[experiment.verdict] ?? `verdict ${experiment.verdict}`) : `${withoutStop(first)}${others}`}`;
}

const WITHOUT_REASON: Readonly<Record<string, string>> = {
  Fail: 'failed',
  Stopped: 'was stopped',
  'N/A': 'came to no verdict',
  Awaited: 'came to no verdict',
};
