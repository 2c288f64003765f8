/** The Kubernetes client: one cluster, JSON in and out. See README.md. */
export { type ClientOptions, createClient } from './client.ts';
export {
  ApiError,
  ConnectionError,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isNotFound,
  type Status,
} from './errors.ts';
export type * from './types.ts';
export { PATCH_TYPES } from './types.ts';
