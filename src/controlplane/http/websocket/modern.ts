import { GraphQLError, type GraphQLSchema } from 'graphql';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL, makeServer } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { ControlPlane } from '../../access/context.ts';
import { answer, events, type GraphQLRequest, type PreparedRequest, prepare } from '../graphql/execute.ts';
import type { RequestContext } from '../graphql/wire.ts';
import { notBegun } from '../to-refusal.ts';
import { MOST_AT_ONCE, OFFERS, TOO_MANY } from './offers.ts';

export const MODERN_PROTOCOL = GRAPHQL_TRANSPORT_WS_PROTOCOL;

/** Inputs of a connection. */
interface ModernConnection {
  readonly plane: ControlPlane;
  readonly schema: GraphQLSchema;
  readonly socket: WebSocket;
  contextFor(authorization: string | undefined): Promise<RequestContext>;
}

interface Subscribed {
  readonly prepared: Exclude<PreparedRequest, { errors: unknown }>;
  readonly request: GraphQLRequest;
  readonly context: RequestContext;
}

/** How long a connection may say nothing at first: a busy client or server takes longer than the library's 3 s, and an idle one costs little. */
const INIT_MS = 30_000;

/** Serves a connection by the current protocol, implemented by the library; execution is the same as by HTTP. */
export function serveModern({ plane, schema, socket, contextFor }: ModernConnection): void {
  const server = makeServer({
    schema,
    connectionInitWaitTimeout: INIT_MS,
    onConnect: () => ({ ...OFFERS }),
    onSubscribe: async ({ connectionParams, subscriptions }, _id, payload) => {
      // Includes the requested one.
      if (Object.keys(subscriptions).length > MOST_AT_ONCE) return [new GraphQLError(TOO_MANY)];
      try {
        const authorization = connectionParams?.Authorization ?? connectionParams?.authorization;
        const context = await contextFor(typeof authorization === 'string' ? authorization : undefined);
        const prepared = prepare(schema, payload, context.caller.kind === 'user');
        if ('errors' in prepared) return prepared.errors as readonly GraphQLError[];
        const rootValue: Subscribed = { prepared, request: payload, context };
        return { schema, document: prepared.document, rootValue };
      } catch (error) {
        return [notBegun(error, plane.ids, plane.logger)];
      }
    },
    execute: ({ rootValue }: { rootValue?: unknown }) => {
      const { prepared, request, context } = rootValue as Subscribed;
      return answer(schema, prepared, request, context);
    },
    subscribe: ({ rootValue }: { rootValue?: unknown }) => {
      const { prepared, request, context } = rootValue as Subscribed;
      return events(schema, prepared, request, context);
    },
  });
  const closed = server.opened(
    {
      protocol: socket.protocol,
      send: (frame) =>
        new Promise((resolve, reject) => {
          socket.send(frame, (error) => (error === undefined || error === null ? resolve() : reject(error)));
        }),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (receive) => {
        socket.on('message', (data) => {
          // The library closes the connection by its own code for frames that break the protocol.
          receive(data.toString()).catch(() => socket.close(4500, 'internal error'));
        });
      },
    },
    {},
  );
  socket.once('close', (code, reason) => void closed(code, reason.toString()));
}
