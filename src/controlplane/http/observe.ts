import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The operation of a GraphQL request: names of the schema only, never names that the client chose. */
export interface ObservedOperation {
  /** Its first field. */
  readonly name: string;
  readonly type: string;
  /** Code of the first error of the answer. */
  readonly error?: string;
}

/** An answered request. */
export interface ObservedRequest {
  /** The route, such as `/get_user/:uid`; `unknown` without a route. */
  readonly endpoint: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly operation?: ObservedOperation;
}

const operations = new WeakMap<FastifyRequest['raw'], ObservedOperation>();

/** Records the operation of a request. */
export function noteOperation(request: FastifyRequest, operation: ObservedOperation): void {
  operations.set(request.raw, operation);
}

/** Calls `observe` for each answered request. */
export function observeRequests(app: FastifyInstance, observe: (request: ObservedRequest) => void): void {
  app.addHook('onResponse', async (request, reply) => {
    const operation = operations.get(request.raw);
    observe({
      endpoint: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      milliseconds: reply.elapsedTime,
      ...(operation !== undefined && { operation }),
    });
  });
}
