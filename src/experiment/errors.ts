/**
 * What can go wrong in an experiment: the code catalogue users already know, and one error class per kind.
 *
 * Codes, phases and the JSON form of `errorOutput.reason` come from the compatibility reference; codes are never reused.
 */

/** Every code that can stand in `status.experimentStatus.errorOutput.errorCode`, with when it is used. */
export const ERROR_CODES = {
  GENERIC_ERROR: 'settings, helper creation, reads of the API',
  TARGET_SELECTION_ERROR: 'no target, or not the targets that were asked for',
  STATUS_CHECKS_ERROR: 'the application or a node was not healthy in time',
  CHAOS_RESULT_CRUD_ERROR: 'the ChaosResult could not be read or written',
  CHAOS_INJECT_ERROR: 'a fault could not be injected',
  CHAOS_REVERT_ERROR: 'a fault could not be reverted',
  HELPER_ERROR: 'inside a helper: its assignment or a command',
  HELPER_POD_FAILED_ERROR: 'a helper pod failed; the helper itself has written why',
  CONTAINER_RUNTIME_ERROR: 'no process was found for a container',
  EXPERIMENT_ABORTED: 'the run was aborted',
  NO_EFFECT: 'the fault is known to have had no effect, and the engine requires one',
  K8S_PROBE_ERROR: 'a k8sProbe could not be evaluated',
  CMD_PROBE_ERROR: 'a cmdProbe could not be evaluated',
  HTTP_PROBE_ERROR: 'an httpProbe could not be evaluated',
  PROM_PROBE_ERROR: 'a promProbe could not be evaluated',
  SLO_PROBE_ERROR: 'a sloProbe could not be evaluated',
  K8S_PROBE_FAILURE: 'the condition of a k8sProbe is not met',
  CMD_PROBE_FAILURE: 'the condition of a cmdProbe is not met',
  HTTP_PROBE_FAILURE: 'the condition of an httpProbe is not met',
  PROM_PROBE_FAILURE: 'the condition of a promProbe is not met',
  SLO_PROBE_FAILURE: 'the condition of a sloProbe is not met',
  PROBE_TIMEOUT: 'a background probe did not end in time',
  TIMEOUT: 'one attempt took too long',
  NON_USER_FRIENDLY_ERROR: 'an error without a code: a defect of the program',
} as const;
export type ErrorCode = keyof typeof ERROR_CODES;

/** The part of the life of an experiment an error happened in. */
export type ErrorPhase = 'PreChaos' | 'ChaosInject' | 'PostChaos';

/** What is known beside message and cause. */
export interface ChaosErrorOptions extends ErrorOptions {
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

  /** Says what it happened to, where it does not say so itself: who throws often does not know. */
  about(target: string): this {
    this.#target ??= target;
    return this;
  }
}

/** Settings that cannot be used, all of them at once. */
export class SettingsError extends ChaosError {
  override readonly name = 'SettingsError';
  constructor(message: string, options?: ChaosErrorOptions) {
    super('GENERIC_ERROR', message, options);
  }
}

/**
 * The pod of this run was lost, and Kubernetes has made another for its Job. A run happens once: whoever follows the Job judges it
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
export class TargetSelectionError extends ChaosError {
  override readonly name = 'TargetSelectionError';
  constructor(message: string, options?: ChaosErrorOptions) {
    super('TARGET_SELECTION_ERROR', message, options);
  }
}

/** Something was not healthy in time. */
export class StatusCheckError extends ChaosError {
  override readonly name = 'StatusCheckError';
  constructor(message: string, options?: ChaosErrorOptions) {
    super('STATUS_CHECKS_ERROR', message, options);
  }
}

/** The ChaosResult could not be read or written. */
export class ResultError extends ChaosError {
  override readonly name = 'ResultError';
  constructor(message: string, options?: ChaosErrorOptions) {
    super('CHAOS_RESULT_CRUD_ERROR', message, options);
  }
}

/** A fault could not be injected. */
export class InjectError extends ChaosError {
  override readonly name = 'InjectError';
  constructor(message: string, options?: ChaosErrorOptions) {
    super('CHAOS_INJECT_ERROR', message, options);
  }
}

/** A fault could not be reverted. Its ledger entry stays open, so that recovery tries again. */
export class RevertError extends ChaosError {
  override readonly name = 'RevertError';
  constructor(message: string, options?: ChaosErrorOptions) {
    super('CHAOS_REVERT_ERROR', message, options);
  }
}

/** A helper could not do its work. */
export class HelperError extends ChaosError {
  override readonly name: string = 'HelperError';
  constructor(message: string, options?: ChaosErrorOptions) {
    super('HELPER_ERROR', message, options);
  }
}

/** A helper pod failed. */
export class HelperPodFailedError extends ChaosError {
  override readonly name = 'HelperPodFailedError';
  constructor(message: string, options?: ChaosErrorOptions) {
    super('HELPER_POD_FAILED_ERROR', message, options);
  }
}

/** No process was found for a container. */
export class ContainerRuntimeError extends ChaosError {
  override readonly name = 'ContainerRuntimeError';
  constructor(message: string, options?: ChaosErrorOptions) {
    super('CONTAINER_RUNTIME_ERROR', message, options);
  }
}

/** The run was aborted by a signal or by a probe with stopOnFailure. */
export class AbortedError extends ChaosError {
  override readonly name = 'AbortedError';
  constructor(message: string, options?: ChaosErrorOptions) {
    super('EXPERIMENT_ABORTED', message, options);
  }
}

/** A fault had no effect, and the engine requires one. */
export class NoEffectError extends ChaosError {
  override readonly name = 'NoEffectError';
  constructor(message: string, options?: ChaosErrorOptions) {
    super('NO_EFFECT', message, options);
  }
}

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
 * An error without a code is NON_USER_FRIENDLY_ERROR with its plain message, as upstream, but without a stack.
 */
export function errorOutputOf(error: unknown, phase: ErrorPhase): ErrorOutput {
  const errors = error instanceof AggregateError ? error.errors : [error];
  const coded = errors.find((one): one is ChaosError => one instanceof ChaosError);
  if (coded === undefined) {
    return {
      errorCode: 'NON_USER_FRIENDLY_ERROR',
      reason: errors.map((one) => describeError(one)).join('; '),
    };
  }
  const reasons = errors.map((one) => reasonOf(one, phase));
  return { errorCode: coded.code, reason: JSON.stringify(reasons.length === 1 ? reasons[0] : reasons) };
}

/** Members in upstream's order; empty ones are left out. */
function reasonOf(error: unknown, phase: ErrorPhase): Record<string, string> {
  const chaos = error instanceof ChaosError ? error : undefined;
  const reason: Record<string, string> = {};
  if (chaos?.source !== undefined) reason.source = chaos.source;
  reason.errorCode = chaos?.code ?? 'NON_USER_FRIENDLY_ERROR';
  reason.phase = chaos?.phase ?? phase;
  reason.reason = describeError(error);
  if (chaos?.target !== undefined) reason.target = chaos.target;
  return reason;
}
