import { ApiError, ConnectionError } from '@turnsole/kube/client/errors';

/** The account `default` of a new namespace is made a moment after the namespace; other accounts are made by people. */
const TRANSIENT_FORBIDDEN = /exceeded quota|serviceaccount "default" not found/;

/** Whether a refusal may soon be over by itself: quota, load, the server's own failures, the network. Pure. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ApiError)) return false;
  if (error.code === 429 || error.code >= 500) return true;
  if (error.code === 403) return TRANSIENT_FORBIDDEN.test(error.message);
  // Two writers of one quota at the same time.
  return error.code === 409 && error.reason !== 'AlreadyExists';
}

/** The server's own words, which users of Argo see in the node's message. */
export function refusalText(error: unknown): string {
  if (error instanceof ApiError) return error.status.message ?? error.message;
  return error instanceof Error ? error.message : String(error);
}
