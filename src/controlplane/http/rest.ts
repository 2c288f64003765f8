import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { allow } from '../access/allow.ts';
import type { ControlPlane } from '../access/context.ts';
import type { Noun, Route } from '../access/noun.ts';
import type { Operation } from '../access/operations.ts';
import { Refusal } from '../access/refusal.ts';
import { storableArguments } from '../access/storable-arguments.ts';
import { fieldsOfBody } from '../access/upstream-bodies.ts';
import { callerOf, originOf } from './caller-of-request.ts';
import { jsonBody } from './json-body.ts';
import { withinTime } from './time-limit.ts';
import { toRefusal } from './to-refusal.ts';

/** Upstream's page prefixes the paths of the authentication server; other clients do not. */
const PREFIXES = ['', '/auth'];

/** An answer that is more than a JSON body with status 200. */
interface RichAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
}

const RICH = Symbol('an answer with status and headers');

/** For routes that redirect, set cookies, or send other content than JSON. */
export function richAnswer(answer: RichAnswer): object {
  return { [RICH]: answer };
}

/**
 * Adds the routes of the table. Their bodies are JSON whatever their content type says, as upstream's server reads them: scripts that
 * send what they post as a form, or as text, work with both.
 *
 * @throws Error when a row has no route or a route no row
 */
export function addRestRoutes(
  app: FastifyInstance,
  plane: ControlPlane,
  nouns: readonly Noun[],
  operations: readonly Operation[],
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, jsonBody(app));
  const routes = new Map(nouns.flatMap(({ routes = {} }) => Object.entries(routes)));
  for (const operation of operations) {
    const route = routes.get(operation.name);
    if (route === undefined) throw new Error(`${operation.name} has a row in operations.ts and no route`);
    routes.delete(operation.name);
    addRoute(app, plane, operation, route);
  }
  if (routes.size > 0)
    throw new Error(`routes without a row in operations.ts: ${[...routes.keys()].join(', ')}`);
}

function addRoute(app: FastifyInstance, plane: ControlPlane, operation: Operation, route: Route): void {
  const [method, path] = operation.name.split(' ') as [HTTPMethods, string];
  for (const prefix of PREFIXES) {
    app.route({
      method,
      url: `${prefix}${path}`,
      ...(operation.mostAMinute !== undefined && {
        config: { rateLimit: { max: operation.mostAMinute, timeWindow: 60_000 } },
      }),
      handler: (request, reply) => serve(plane, operation, route, request, reply),
    });
  }
}

async function serve(
  plane: ControlPlane,
  operation: Operation,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    const args = storableArguments(operation, argumentsOf(request));
    // Authentication and authorisation read the database too, so they count towards the time limit.
    const result = await withinTime(plane.clock, plane.signal, async (signal) => {
      const caller = await callerOf(plane, request.headers, request.method !== 'GET');
      const allowed = await allow(plane, operation, args, caller);
      return route(args, {
        plane,
        origin: originOf(plane, request),
        operation: operation.name,
        signal,
        ...allowed,
      });
    });
    return send(reply, result);
  } catch (error) {
    const refusal = toRefusal(error, operation.name, plane.ids, plane.logger);
    return reply.code(refusal.status).send(restError(refusal));
  }
}

function send(reply: FastifyReply, result: object): FastifyReply {
  reply.header('cache-control', 'no-store');
  const rich = (result as { [RICH]?: RichAnswer })[RICH];
  if (rich === undefined) return reply.send(result);
  for (const [name, value] of Object.entries(rich.headers ?? {})) reply.header(name, value);
  return reply.code(rich.status ?? 200).send(rich.body ?? null);
}

/** Upstream's names for the kinds of refusals. */
const ERROR_NAMES: Partial<Record<Refusal['code'], string>> = {
  unauthenticated: 'unauthorized',
  forbidden: 'unauthorized',
  // The request itself is valid.
  unavailable: 'server_error',
  'timed-out': 'server_error',
};

/** The body of an error. */
export function restError({ error, code, message, asMessage }: Refusal): object {
  const body = { error: error ?? ERROR_NAMES[code] ?? 'invalid_request', errorDescription: message };
  return asMessage ? { ...body, message } : body;
}

/**
 * Merges the arguments of query, body and path: of one name the path's counts, then the body's.
 *
 * @throws Refusal for a body that is no JSON object
 */
function argumentsOf({ params, query, body }: FastifyRequest): Readonly<Record<string, unknown>> {
  if (body !== undefined && body !== null && (typeof body !== 'object' || Array.isArray(body))) {
    throw new Refusal('invalid', 'the body is no JSON object');
  }
  return {
    ...(query as object),
    ...fieldsOfBody((body ?? {}) as Readonly<Record<string, unknown>>),
    ...(params as object),
  };
}
