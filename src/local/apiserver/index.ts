export { badRequest, internalError, StatusError, tooManyRequests, unavailable } from './http/status.ts';
export { AddressBlock } from './kinds/allocator.ts';
export { type ApiServer, type ApiServerOptions, createApiServer } from './server.ts';
export { PodLogError, type PodLogRequest, type PodLogSource } from './subresources/log.ts';
export type { NodeReach } from './subresources/node-reach.ts';
export type { UpgradeHandler, UpgradeKind, UpgradeRequest } from './subresources/upgrade.ts';
