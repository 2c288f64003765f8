import { ChaosError } from '../../injection/errors.ts';
import { joinErrors } from '../../injection/injector.ts';
import type { PhaseOutcome } from '../../probes/outcome.ts';
import type { Run } from './run.ts';

/** The error a phase of probes ends the run with; undefined when it goes on (a failure alone is judged at the end). */
export function probeError(outcome: PhaseOutcome, run: Pick<Run, 'phase'>): Error | undefined {
  if (outcome.ok || (outcome.kind === 'failure' && !outcome.stop)) return undefined;
  const decisive = outcome.findings.filter(({ kind }) => kind === outcome.kind);
  return joinErrors(
    decisive.map(
      ({ code, reason, probe }) =>
        new ChaosError(code, reason, { phase: run.phase, target: `{name: ${probe}}` }),
    ),
  );
}
