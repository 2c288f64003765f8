import { ApiError } from '../client/errors.ts';

/** No valid credentials, a request that took too long, too many requests: they say nothing about the object. */
const NOT_ABOUT_THE_OBJECT = [401, 408, 429];

/**
 * Whether an error says that the cluster refused the object itself (not allowed, invalid, its namespace does not exist, …): bad
 * input rather than a broken cluster.
 */
export function isRefusal(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || NOT_ABOUT_THE_OBJECT.includes(error.code)) return false;
  return error.code >= 400 && error.code < 500;
}
