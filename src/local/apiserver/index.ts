export { type ApiServer, type ApiServerOptions, createApiServer } from './server.ts';
export { PodLogError, type PodLogRequest, type PodLogSource } from './subresources/log.ts';
