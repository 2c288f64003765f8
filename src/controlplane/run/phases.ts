import { RESULT_PHASES } from '../../api/schema/vocabulary.ts';
import type { ExecutionData, RunNode } from '../../services/report/account/execution-data.ts';
import type { RunOutcome } from '../../services/report/outcome/run-outcome.ts';

/** Phases of runs, as clients see them. */
export const PHASES = [
  'Queued',
  'Pending',
  'Running',
  'Completed',
  'Completed_With_Error',
  'Completed_With_Probe_Failure',
  'Stopped',
  'Skipped',
  'Error',
  'Timeout',
  'Terminated',
  'NA',
] as const;

export type Phase = (typeof PHASES)[number];

/**
 * The phase of a run by its agent's report. A workflow that failed, was refused, or made no engine is an `Error`, although agents call it
 * `Completed`. Pure.
 *
 * @param outcome of a run that is over
 */
export function phaseOf(data: ExecutionData, outcome: RunOutcome | null): Phase {
  // Agents report `Succeeded` for an engine without a workflow, and `Completed` for a workflow.
  if (data.phase === 'Succeeded' || data.phase === 'Completed') {
    const phase = endOf(data);
    return phase === 'Completed' && outcome?.by === 'run' && outcome.word !== 'Passed' ? 'Error' : phase;
  }
  if (data.phase === 'Failed') return 'Error';
  if (data.phase === 'Stopped' && outcome?.word === 'Failed') return 'Completed_With_Probe_Failure';
  return PHASES.find((phase) => phase === data.phase) ?? 'NA';
}

/**
 * An engine without a workflow always ends as `Succeeded`, and a workflow as `Completed` also if its engines have no verdict: their nodes
 * have the outcomes, and the worst counts.
 */
function endOf({ nodes }: ExecutionData): Phase {
  const engines = nodes.filter(({ engine }) => engine !== undefined);
  const ends = engines.map(({ phase }) => phase);
  if (ends.includes('Error') || ends.includes('Completed_With_Error')) return 'Completed_With_Error';
  if (engines.some(hasNoResult)) return 'Completed_With_Error';
  return ends.includes('Completed_With_Probe_Failure') ? 'Completed_With_Probe_Failure' : 'Completed';
}

/**
 * Whether an engine has no verdict: its node has the phase of the engine's result, or without one the status of the engine. LitmusChaos' agents
 * read no result of an engine with several experiments, and report the verdict of the first: a pass counts as a verdict.
 */
function hasNoResult({ phase, engine }: RunNode): boolean {
  return !RESULT_PHASES.some((one) => one === phase) && engine?.verdict.toLowerCase() !== 'pass';
}
