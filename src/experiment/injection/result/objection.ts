import type { ErrorCode } from '../../../chaos/errors/result-errors.ts';
import { ChaosError, type ErrorOutput, type ErrorPhase, errorOutputOf } from '../errors.ts';

/** Why a run that came to its end is no Pass, whatever its probes found. */
export interface Objection {
  readonly code: ErrorCode;
  /** Fail: what was measured is not what the engine asks for. Error: too little was measured for a Pass or a Fail to be true. */
  readonly verdict: 'Fail' | 'Error';
  /** A sentence for users that names its subject and the targets: `pod-network-loss had no effect on pod shop/web-1 (app): …`. */
  readonly reason: string;
  /** @default ChaosInject */
  readonly phase?: ErrorPhase;
}

/** `errorOutput` of a run to which these object: the code of the gravest, and the reasons of all. Undefined without any. Pure. */
export function outputOf(objections: readonly Objection[]): ErrorOutput | undefined {
  if (objections.length === 0) return undefined;
  const errors = gravestFirst(objections).map(({ code, reason, phase = 'ChaosInject' }) => {
    return new ChaosError(code, reason, { phase });
  });
  return errorOutputOf(new AggregateError(errors), 'ChaosInject');
}

/** Errors before failures, each in the order in which they were raised. Pure. */
export function gravestFirst(objections: readonly Objection[]): Objection[] {
  const [errors, failures] = [objections.filter(isError), objections.filter((one) => !isError(one))];
  return [...errors, ...failures];
}

/** Whether an objection says that the run shows too little. Pure. */
export function isError({ verdict }: Objection): boolean {
  return verdict === 'Error';
}
