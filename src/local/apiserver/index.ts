export { type ApiServer, type ApiServerOptions, createApiServer } from './server.ts';
