import type { EngineVerdict, ExperimentStatus } from '../../api/index.ts';
import type { SKIP_REASONS } from '../errors/experiment-reasons.ts';

type SkipReason = keyof typeof SKIP_REASONS;

/** This experiment cannot be run; the next one is. The message says why, on which field or object. */
export class SkipError extends Error {
  override readonly name = 'SkipError';
  readonly reason: SkipReason;
  /** What the engine's status says. */
  readonly status: ExperimentStatus;
  readonly verdict: EngineVerdict;

  constructor(
    reason: SkipReason,
    message: string,
    options?: ErrorOptions & { status?: ExperimentStatus; verdict?: EngineVerdict },
  ) {
    super(message, options);
    this.reason = reason;
    this.status = options?.status ?? 'Skipped';
    this.verdict = options?.verdict ?? 'Fail';
  }
}
