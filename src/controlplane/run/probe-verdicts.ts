import type { ExecutionData, ProbeStatus } from '../../services/report/account/execution-data.ts';
import { matchFaults } from '../../services/report/account/match-faults.ts';
import type { ProbeReference } from '../probe/references.ts';
import type { Fault } from './fault.ts';

/** Verdict of a probe of a fault in a run. */
export interface ProbeVerdict extends ProbeReference {
  readonly verdict: 'Passed' | 'Failed' | 'Awaited' | 'NA';
  readonly description: string;
}

const NOTHING_KNOWN = 'Either probe is not executed or not evaluated';

/** Verdicts of the probes of a fault; `NA` if the agent has not reported it. Pure. */
export function probeVerdicts(
  fault: Fault,
  faults: readonly Fault[],
  data: ExecutionData | undefined,
): ProbeVerdict[] {
  const found = data === undefined ? [] : matchFaults(faults, data);
  const engine = found.find((one) => one.fault === fault)?.engine;
  return fault.probes.map(({ name, mode }) => {
    if (engine?.probes === undefined) return { name, mode, verdict: 'NA', description: NOTHING_KNOWN };
    const status = engine.probes.find((one) => one.name === name);
    return { name, mode: mode || (status?.mode ?? ''), ...verdictOf(status) };
  });
}

/** A probe that is missing in a result is still awaited. */
function verdictOf(status: ProbeStatus | undefined): Pick<ProbeVerdict, 'verdict' | 'description'> {
  const description = status?.description || NOTHING_KNOWN;
  switch (status?.verdict) {
    case 'Passed':
    case 'Failed':
      return { verdict: status.verdict, description };
    case 'NA':
    case 'N/A':
      return { verdict: 'NA', description };
    default:
      return { verdict: 'Awaited', description };
  }
}
