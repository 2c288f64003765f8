import { ApiError, isConflict, isNotFound } from '../client/errors.ts';
import { messageOf } from '../text/error-message.ts';

/** What the server said about a failure, without the request that only we know; anything else as text. */
export function explain(error: unknown): string {
  if (error instanceof ApiError) return error.status.message ?? error.message;
  return messageOf(error);
}

/** Whether a write was refused because its namespace is being deleted: nothing to complain about. */
export function isNamespaceGoing(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true
  );
}

/** Whether a write met an object that had changed or gone: its next watch event comes, and nothing is to be done before. */
export function isOutdated(error: unknown): boolean {
  return isConflict(error) || isNotFound(error);
}
