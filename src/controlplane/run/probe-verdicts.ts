import type { ProbeReference } from '../probe/references.ts';
import type { ExecutionData, ProbeStatus } from './execution-data.ts';
import type { Fault } from './fault.ts';
import { matchFaults } from './match-faults.ts';

/** What a probe of a fault came to in a run. */
export interface ProbeVerdict extends ProbeReference {
  readonly verdict: 'Passed' | 'Failed' | 'Awaited' | 'NA';
  readonly description: string;
}

const NOTHING_KNOWN = 'Either probe is not executed or not evaluated';

/** What the probes of a fault have come to; `NA` where the agent has said nothing of it. Pure. */
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

/** A result without a word of the probe has not come to it yet. */
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
