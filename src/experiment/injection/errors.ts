/**
 * What can go wrong in an experiment: one error class per kind, each with its code (src/chaos/errors/result-errors.ts).
 *
 * Phases and the JSON form of `errorOutput.reason` come from the compatibility reference.
 */

import { ApiError, ConnectionError, isForbidden } from '@turnsole/kube/client/errors';
import type { ErrorCode } from '../../chaos/errors/result-errors.ts';

/** The part of the life of an experiment an error happened in. */
export type ErrorPhase = 'PreChaos' | 'ChaosInject' | 'PostChaos';

/** Further facts beside message and cause. */
interface ChaosErrorOptions extends ErrorOptions {
  readonly phase?: ErrorPhase;
  /** The object it happened to, as text: `{podName: x, namespace: y}`. */
  readonly target?: string;
  /** Helper pod it happened in. */
  readonly source?: string;
}

/** Any failure of an experiment that has a code. The message says what was attempted, what was found, what to do. */
export class ChaosError extends Error {
  override readonly name: string = 'ChaosError';
  readonly code: ErrorCode;
  readonly phase: ErrorPhase | undefined;
  readonly source: string | undefined;
  #target: string | undefined;

  constructor(code: ErrorCode, message: string, options: ChaosErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.phase = options.phase;
    this.#target = options.target;
    this.source = options.source;
  }

  /** The object it happened to, as text. */
  get target(): string | undefined {
    return this.#target;
  }

  /** Adds the object it happened to, where the message does not name one: the code that throws often does not know it. */
  about(target: string): this {
    this.#target ??= target;
    return this;
  }
}

/** A kind of error: errors of one name and one code. */
function errorKind(kind: string, code: ErrorCode) {
  return class extends ChaosError {
    override readonly name: string = kind;
    constructor(message: string, options?: ChaosErrorOptions) {
      super(code, message, options);
    }
  };
}

/** Settings that cannot be used, all of them at once. */
export class SettingsError extends errorKind('SettingsError', 'GENERIC_ERROR') {}

/**
 * The pod of this run was lost, and Kubernetes has made another for its Job. A run happens once: the component that follows the Job judges it
 * and reverts what the first pod left (docs/decisions/0010).
 */
export class RepeatedRunError extends ChaosError {
  override readonly name = 'RepeatedRunError';
  constructor({ experiment, runId }: { readonly experiment: string; readonly runId: string }) {
    const message = `run ${runId} of ${experiment} was begun by another pod, which was lost; it is not begun again`;
    super('GENERIC_ERROR', message);
  }
}

/** No target was found, or not those that were asked for; says what was looked for where. */
export class TargetSelectionError extends errorKind('TargetSelectionError', 'TARGET_SELECTION_ERROR') {}

/** Where the targets are could not be looked at with what this process has: a run, which has credentials of its own, may. */
export class UnseenTargetsError extends TargetSelectionError {
  override readonly name = 'UnseenTargetsError';
}

/** Something was not healthy in time. */
export class StatusCheckError extends errorKind('StatusCheckError', 'STATUS_CHECKS_ERROR') {}

/** The ChaosResult could not be read or written. */
export class ResultError extends errorKind('ResultError', 'CHAOS_RESULT_CRUD_ERROR') {}

/** A fault could not be injected. */
export class InjectError extends errorKind('InjectError', 'CHAOS_INJECT_ERROR') {}

/** A fault could not be reverted. Its ledger entry stays open, so that recovery tries again. */
export class RevertError extends errorKind('RevertError', 'CHAOS_REVERT_ERROR') {}

/** A helper could not do its work. */
export class HelperError extends errorKind('HelperError', 'HELPER_ERROR') {}

/** A helper pod failed. */
export class HelperPodFailedError extends errorKind('HelperPodFailedError', 'HELPER_POD_FAILED_ERROR') {}

/** No process was found for a container. */
export class ContainerRuntimeError extends errorKind('ContainerRuntimeError', 'CONTAINER_RUNTIME_ERROR') {}

/** The run was aborted by a signal or by a probe with stopOnFailure. */
export class AbortedError extends errorKind('AbortedError', 'EXPERIMENT_ABORTED') {}

/** The text of anything thrown, with its causes: `outer: inner`. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : describeError(error.cause);
  return cause === '' || error.message.includes(cause) ? error.message : `${error.message}: ${cause}`;
}

/** `status.experimentStatus.errorOutput` as users know it. */
export interface ErrorOutput {
  readonly errorCode: string;
  /** JSON text of one error or of a list of errors. */
  readonly reason: string;
}

/**
 * Gives `errorOutput` for one error or several (AggregateError); `phase` is used where the error does not say its own.
 * A request that the API server refused or did not answer is GENERIC_ERROR. Another error without a code is NON_USER_FRIENDLY_ERROR with its
 * plain message, as upstream, but without a stack.
 */
export function errorOutputOf(
  error: unknown,
  phase: ErrorPhase,
): ErrorOutput & { readonly errorCode: ErrorCode } {
  const errors = error instanceof AggregateError ? error.errors : [error];
  const code = errors.map(codeOf).find((one) => one !== undefined);
  if (code === undefined) {
    return {
      errorCode: 'NON_USER_FRIENDLY_ERROR',
      reason: errors.map((one) => describeError(one)).join('; '),
    };
  }
  const reasons = errors.map((one) => reasonOf(one, phase));
  return { errorCode: code, reason: JSON.stringify(reasons.length === 1 ? reasons[0] : reasons) };
}

function codeOf(error: unknown): ErrorCode | undefined {
  if (error instanceof ChaosError) return error.code;
  return error instanceof ApiError || error instanceof ConnectionError ? 'GENERIC_ERROR' : undefined;
}

/** What happened, and for a missing permission what to do about it. */
function reasonText(error: unknown): string {
  const text = describeError(error);
  return isForbidden(error) ? `${text}; grant this to the service account of the engine` : text;
}

/** Members in upstream's order; empty ones are left out. */
function reasonOf(error: unknown, phase: ErrorPhase): Record<string, string> {
  const chaos = error instanceof ChaosError ? error : undefined;
  const reason: Record<string, string> = {};
  if (chaos?.source !== undefined) reason.source = chaos.source;
  reason.errorCode = codeOf(error) ?? 'NON_USER_FRIENDLY_ERROR';
  reason.phase = chaos?.phase ?? phase;
  reason.reason = reasonText(error);
  if (chaos?.target !== undefined) reason.target = chaos.target;
  return reason;
}
