import rateLimit from '@fastify/rate-limit';
import { OpenConnections } from '@turnsole/kube/serve/open-connections';
import { type FastifyError, type FastifyInstance, fastify } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { ControlPlane } from '../access/context.ts';
import type { Noun } from '../access/noun.ts';
import type { Operation } from '../access/operations.ts';
import { Refusal } from '../access/refusal.ts';
import { isTrusted } from '../access/trusted-proxies.ts';
import { originAllowed, ownOrigins } from './browser-origins.ts';
import { compressAnswers } from './compress-answers.ts';
import { addGraphQLRoutes } from './graphql/routes.ts';
import { hostAllowed } from './hosts.ts';
import { jsonBody } from './json-body.ts';
import { type ObservedRequest, observeRequests } from './observe.ts';
import { addRestRoutes, restError } from './rest.ts';
import { toRefusal } from './to-refusal.ts';
import { takeWebSockets } from './websocket/upgrade.ts';

/** Bodies of REST are small; GraphQL has a limit of its own. */
const BODY_BYTES = 256 * 1024;
/** Longest parameter of a path: some are sealed tokens. */
const PARAMETER_CHARACTERS = 500;
/** Longer than the idle timeout of load balancers, so that they close connections, and not the server during a request. */
const KEEP_ALIVE_MS = 120_000;
/** Requests per minute and address, per replica: agents of a large cluster send some hundred a second. */
const REQUESTS_A_MINUTE = 60_000;

/** Time limit for running requests during the shutdown. */
export const END_MS = 5_000;

/**
 * The operations validate bodies, so no route has a JSON schema. Without these replacements, Fastify loads its schema compilers at startup: a
 * tenth of the startup time, and 5 MB.
 */
const WITHOUT_SCHEMAS = { buildValidator: refuseSchema, buildSerializer: refuseSchema };

function refuseSchema(): never {
  throw new Error('routes of the control plane have no schemas: the operations judge what they are given');
}

/** Options of the HTTP server. */
export interface AppOptions {
  readonly plane: ControlPlane;
  /** With its resolvers. */
  readonly schema: GraphQLSchema;
  readonly nouns: readonly Noun[];
  readonly restOperations: readonly Operation[];
  /** Certificate chain and key in PEM; undefined: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Called for each answered request. */
  readonly observe?: (request: ObservedRequest) => void;
}

/** Builds the HTTP server; it does not listen yet. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { plane, schema, nouns, restOperations, tls, observe } = options;
  const app = fastify({
    bodyLimit: BODY_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Clients whose base address ends in a slash double it.
    routerOptions: { maxParamLength: PARAMETER_CHARACTERS, ignoreDuplicateSlashes: true },
    trustProxy: (address, hop) => isTrusted(plane.settings.trustedProxies, address, hop),
    schemaController: { compilersFactory: WITHOUT_SCHEMAS },
    ...(tls !== undefined && { https: tls }),
  }) as unknown as FastifyInstance;
  if (observe !== undefined) observeRequests(app, observe);
  compressAnswers(app);
  await app.register(rateLimit, { max: REQUESTS_A_MINUTE, timeWindow: 60_000 });
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (!hostAllowed(request.headers.host, plane.settings.hosts)) {
      return reply.code(421).send({ error: 'Invalid host' });
    }
    if (!originAllowed(origin, ownOrigins(plane.settings, request.raw), plane.settings.allowedOrigins)) {
      return reply.code(403).send({ error: 'Invalid origin' });
    }
    if (origin !== undefined) {
      reply.header('access-control-allow-origin', origin).header('vary', 'origin');
      reply.header('access-control-allow-credentials', 'true');
    }
    return undefined;
  });
  app.options('/*', async (_request, reply) =>
    reply
      .code(204)
      .header('access-control-allow-methods', 'GET, POST')
      .header('access-control-allow-headers', 'authorization, content-type')
      .header('access-control-max-age', '600')
      .send(),
  );
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = toRefusal(ofFastify(error), request.url.split('?', 1)[0] ?? '', plane.ids, plane.logger);
    return reply.code(refusal.status).send(restError(refusal));
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0];
    const refusal = new Refusal('not-found', `${request.method} ${path} is nothing that this server has`);
    return reply.code(404).send(restError(refusal));
  });
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, jsonBody(app));
  addGraphQLRoutes(app, plane, schema);
  // In a context of its own, for the bodies of its routes.
  await app.register(async (rest) => addRestRoutes(rest, plane, nouns, restOperations));
  const closeSockets = takeWebSockets(app, plane, schema);
  const connections = new OpenConnections(app.server);
  app.addHook('preClose', async () => {
    await closeSockets();
    connections.end(END_MS);
  });
  return app;
}

/** Fastify refuses bad bodies by errors of its own, which have a status. */
function ofFastify(error: FastifyError): unknown {
  const status = error.statusCode ?? 500;
  if (error instanceof Refusal || status >= 500) return error;
  if (status === 413) return new Refusal('too-large', 'the body is too large', { cause: error });
  if (status === 429) return new Refusal('too-many', error.message, { cause: error });
  return new Refusal('invalid', error.message, { status, cause: error });
}
