import type { ExecutionData } from './execution-data.ts';

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
  if (data.phase === 'Succeeded') return endOfEngine(data);
  if (data.phase === 'Failed') return 'Error';
  return PHASES.find((phase) => phase === data.phase) ?? 'NA';
}

/** An engine without a workflow always ends as `Succeeded`; what came of it stands at its node. */
function endOfEngine({ nodes }: ExecutionData): Phase {
  const ends = nodes.filter(({ engine }) => engine !== undefined).map(({ phase }) => phase);
  if (ends.includes('Error') || ends.includes('Completed_With_Error')) return 'Completed_With_Error';
  return ends.includes('Completed_With_Probe_Failure') ? 'Completed_With_Probe_Failure' : 'Completed';
}
