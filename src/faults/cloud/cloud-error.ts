/** What went wrong at a cloud's API, in the kinds that decide what is done about it. */

/**
 * - `throttled`: too many requests; asked again later it may do it.
 * - `unavailable`: no answer, or an error of the API itself.
 * - `busy`: the resource is in a state in which this cannot be done now; it may pass.
 * - `denied`: credentials or permissions.
 * - `gone`: there is no such resource.
 * - `refused`: anything else that the API does not do.
 */
export type CloudErrorKind = 'throttled' | 'unavailable' | 'busy' | 'denied' | 'gone' | 'refused';

/** A call that did not succeed. */
export class CloudError extends Error {
  override readonly name = 'CloudError';
  readonly kind: CloudErrorKind;
  /** As the API names it. */
  readonly code: string;
  /** How long the API asks to be left alone; 0 when it does not say. */
  readonly pauseMs: number;

  constructor(
    kind: CloudErrorKind,
    code: string,
    message: string,
    { pauseMs = 0, ...options }: ErrorOptions & { readonly pauseMs?: number } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.code = code;
    this.pauseMs = pauseMs;
  }
}

/** Codes of Node for a connection that could not be made, or broke. */
const NO_ANSWER =
  /^(ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENETDOWN|UND_ERR_\w+)$/;

/** Whether what a vendor's client threw, or its cause, says that nobody answered; anything else is for somebody to mend. Pure. */
export function isNoAnswer(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code === 'string' && NO_ANSWER.test(code)) return true;
  }
  return false;
}

/** Whether a call failed in one of these ways. Pure. */
export function isCloudError(error: unknown, ...kinds: readonly CloudErrorKind[]): error is CloudError {
  return error instanceof CloudError && (kinds.length === 0 || kinds.includes(error.kind));
}
