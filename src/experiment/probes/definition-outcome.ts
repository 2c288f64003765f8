import { plainFieldError } from '@turnsole/kube/schema/field-error';
import { PROBE_TYPES } from '../../api/probe-types/index.ts';
import type { Probe } from '../../api/schema/probe.ts';
import { errorCode } from './codes.ts';
import type { DefinitionProblem } from './definition.ts';
import { type PhaseOutcome, type ProbeFinding, phaseOutcome } from './outcome.ts';

/** The outcome of definitions that cannot be run: an error per problem, and nothing was run. */
export function definitionOutcome(
  probes: readonly Probe[],
  problems: readonly DefinitionProblem[],
): PhaseOutcome {
  const findings = problems.map(({ index, error }): ProbeFinding => {
    const probe = probes[index];
    const isKnown = probe !== undefined && PROBE_TYPES.includes(probe.type);
    return {
      probe: probe?.name ?? '',
      kind: 'error',
      code: isKnown ? errorCode(probe.type) : 'GENERIC_ERROR',
      reason: plainFieldError(error),
      stopOnFailure: false,
    };
  });
  return phaseOutcome(findings);
}
