/** The body of a failed request as the API serves it (meta/v1 Status). */
export interface Status {
  readonly kind?: 'Status';
  readonly apiVersion?: 'v1';
  readonly status?: 'Failure' | 'Success';
  readonly message?: string;
  /** CamelCase machine-readable reason: NotFound, AlreadyExists, Conflict, Invalid, Forbidden, Expired… */
  readonly reason?: string;
  readonly code?: number;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly {
      readonly reason?: string;
      readonly message?: string;
      readonly field?: string;
    }[];
  };
}

/** The API server answered with a failure. `message` names the request; `reason` and `code` say which failure. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: string;
  readonly status: Status;

  /** @param request `GET /api/v1/namespaces/x/pods/y` */
  constructor(request: string, code: number, status: Status, options?: ErrorOptions) {
    super(`${request}: ${code} ${status.reason ?? ''}: ${status.message ?? 'no message'}`, options);
    this.code = code;
    this.reason = status.reason ?? '';
    this.status = status;
  }
}

/** No answer was had from the API server: refused, reset, timed out, TLS failure. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(request: string, message: string, options?: ErrorOptions) {
    super(`${request}: ${message}`, options);
  }
}

/** A command was not run to an exit code: its program was not found, the container ended, the server failed. */
export class ExecError extends Error {
  override readonly name = 'ExecError';
  readonly status: Status;

  constructor(request: string, status: Status, options?: ErrorOptions) {
    super(`${request}: the command was not run to its end: ${status.message ?? 'no message'}`, options);
    this.status = status;
  }
}

function isApiError(error: unknown, reason: string): error is ApiError {
  return error instanceof ApiError && error.reason === reason;
}

export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 404;
}

/**
 * Whether the server knows that an object is not there: it names it. Another 404 says that the kind is not served, which a server that starts
 * says of kinds that it will serve in a moment.
 */
export function isGone(error: unknown): error is ApiError {
  return isNotFound(error) && error.status.details?.name !== undefined;
}

export function isAlreadyExists(error: unknown): error is ApiError {
  return isApiError(error, 'AlreadyExists');
}

export function isConflict(error: unknown): error is ApiError {
  return isApiError(error, 'Conflict');
}

/** Whether the server does not accept the caller's credentials: it does not know them, they have expired, or their account was deleted. */
export function isUnauthorized(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 401;
}

export function isForbidden(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 403;
}

/** Whether the kind is not served, or this client may not read it: both last, and neither is an outage. */
export function isRefused(error: unknown): error is ApiError {
  return isForbidden(error) || isNotFound(error);
}

/** The history before the requested resource version was compacted: list again. */
export function isExpired(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 410;
}

/** The result of an attempt; undefined after an expected failure. */
export async function unless<T>(
  isExpected: (error: unknown) => boolean,
  attempt: Promise<T>,
): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (!isExpected(error)) throw error;
    return undefined;
  }
}
