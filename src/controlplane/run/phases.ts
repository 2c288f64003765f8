import { RESULT_PHASES } from '../../api/schema/vocabulary.ts';
import type { ExecutionData, RunNode } from './execution-data.ts';

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

/** The phase that an agent's account gives a run. Pure. */
export function phaseOf(data: ExecutionData): Phase {
  // What agents say of an engine without a workflow, and of a workflow.
  if (data.phase === 'Succeeded' || data.phase === 'Completed') return endOf(data);
  if (data.phase === 'Failed') return 'Error';
  return PHASES.find((phase) => phase === data.phase) ?? 'NA';
}

/**
 * An engine without a workflow always ends as `Succeeded`, and a workflow as `Completed` also when its engines came to no judgement: what came of
 * them stands at their nodes, and the worst counts.
 */
function endOf({ nodes }: ExecutionData): Phase {
  const engines = nodes.filter(({ engine }) => engine !== undefined);
  const ends = engines.map(({ phase }) => phase);
  if (ends.includes('Error') || ends.includes('Completed_With_Error')) return 'Completed_With_Error';
  if (engines.some(hasNoResult)) return 'Completed_With_Error';
  return ends.includes('Completed_With_Probe_Failure') ? 'Completed_With_Probe_Failure' : 'Completed';
}

/**
 * Whether nothing was judged: a node has the phase of its engine's result, or, where there is none, the status of the engine. LitmusChaos' agents read no
 * result of an engine with several experiments, and give the verdict of the first: a pass is one.
 */
function hasNoResult({ phase, engine }: RunNode): boolean {
  return !RESULT_PHASES.some((one) => one === phase) && engine?.verdict.toLowerCase() !== 'pass';
}
