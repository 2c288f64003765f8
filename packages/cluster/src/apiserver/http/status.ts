/**
 * Failures as the API server words them. Every error that leaves the server is one of these.
 *
 * Source of the words: k8s.io/apimachinery `pkg/api/errors` as a client sees them.
 */
import { type FieldError, fieldErrorBody, formatFieldErrors } from '@turnsole/kube/schema/field-error';

interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** A failed request: the HTTP code and what the body of the answer says. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;

  constructor(
    code: number,
    reason: string,
    message: string,
    details?: StatusDetails,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  /** The body: a meta/v1 Status. */
  toStatus(): object {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

/** What errors name: a resource's group and plural. */
export interface GroupResource {
  readonly group: string;
  readonly plural: string;
}

/** `pods`, `deployments.apps`. */
function qualified({ group, plural }: GroupResource): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function detailsOf({ group, plural }: GroupResource, name: string): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: plural,
  };
}

export function notFound(resource: GroupResource, name: string): StatusError {
  return new StatusError(
    404,
    'NotFound',
    `${qualified(resource)} "${name}" not found`,
    detailsOf(resource, name),
  );
}

/** The path names nothing that is served. */
export function noSuchPath(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(resource: GroupResource, name: string, isGoing = false): StatusError {
  const message = `${isGoing ? 'object is being deleted: ' : ''}${qualified(resource)} "${name}" already exists`;
  return new StatusError(409, 'AlreadyExists', message, detailsOf(resource, name));
}

export function conflict(resource: GroupResource, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`;
  return new StatusError(409, 'Conflict', message, detailsOf(resource, name));
}

/** The object was changed since the caller read it. */
export const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

export function forbidden(
  resource: GroupResource,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
): StatusError {
  const subject = name === '' ? qualified(resource) : `${qualified(resource)} "${name}"`;
  const details = { ...detailsOf(resource, name), ...(causes && { causes }) };
  return new StatusError(403, 'Forbidden', `${subject} is forbidden: ${why}`, details);
}

/** A path outside of the API's resources that the user may not use. */
export function forbiddenPath(message: string): StatusError {
  return new StatusError(403, 'Forbidden', `forbidden: ${message}`, {});
}

export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized');
}

export function badRequest(message: string, cause?: unknown): StatusError {
  return new StatusError(400, 'BadRequest', message, undefined, cause === undefined ? undefined : { cause });
}

/** A body full of mistakes must not make an answer that is many times longer. */
const MAX_SHOWN_ERRORS = 1_000;

/** Validation found problems; the answer lists them all, up to a readable number. */
export function invalid(group: string, kind: string, name: string, all: readonly FieldError[]): StatusError {
  const errors = all.slice(0, MAX_SHOWN_ERRORS);
  const qualifiedKind = group === '' ? kind : `${kind}.${group}`;
  const message = `${qualifiedKind} "${name}" is invalid: ${formatFieldErrors(errors)}`;
  return new StatusError(422, 'Invalid', message, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(kind === '' ? {} : { kind }),
    causes: errors.map((error) => ({
      reason: error.type,
      message: fieldErrorBody(error),
      field: error.path === '' ? '<nil>' : error.path,
    })),
  });
}

export function methodNotAllowed(): StatusError {
  return new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );
}

export function unsupportedMediaType(message: string): StatusError {
  return new StatusError(415, 'UnsupportedMediaType', message);
}

export function notAcceptable(supported: readonly string[]): StatusError {
  const message = `only the following media types are accepted: ${supported.join(', ')}`;
  return new StatusError(406, 'NotAcceptable', message);
}

export function tooLarge(message: string): StatusError {
  return new StatusError(413, 'RequestEntityTooLarge', message);
}

/** History before the revision was compacted. */
export function expired(message: string): StatusError {
  return new StatusError(410, 'Expired', message);
}

export function serverTimeout(
  message: string,
  retryAfterSeconds: number,
  causes?: readonly StatusCause[],
): StatusError {
  return new StatusError(504, 'Timeout', message, {
    causes,
    retryAfterSeconds,
  });
}

export function tooManyRequests(message: string, details?: StatusDetails): StatusError {
  return new StatusError(429, 'TooManyRequests', message, details);
}

export function internalError(message: string, cause?: unknown): StatusError {
  return new StatusError(
    500,
    'InternalError',
    `Internal error occurred: ${message}`,
    { causes: [{ message }] },
    { cause },
  );
}

/**
 * A write could not be kept (RFC 4918, section 11.5); nothing of it was done. Without Retry-After: clients would hide it
 * behind ten attempts of their own, and room does not come by itself.
 */
export function insufficientStorage(message: string, cause?: unknown): StatusError {
  return new StatusError(507, 'InsufficientStorage', message, undefined, { cause });
}

export function unavailable(message: string): StatusError {
  return new StatusError(503, 'ServiceUnavailable', message);
}
