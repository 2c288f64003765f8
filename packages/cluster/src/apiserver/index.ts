export type { Judge } from './admission/judges.ts';
export { badRequest, internalError, StatusError, tooManyRequests, unavailable } from './http/status.ts';
export { createApiServer, OWN_CLIENT } from './server.ts';
export { PodLogError, type PodLogRequest, type PodLogSource } from './subresources/log.ts';
export type { UpgradeHandler, UpgradeRequest } from './subresources/upgrade.ts';
export type { ApiServer } from './types.ts';
