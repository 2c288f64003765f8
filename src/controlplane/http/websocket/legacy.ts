import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { WebSocket } from 'ws';
import type { ControlPlane } from '../../access/context.ts';
import { answer, events, prepare } from '../graphql/execute.ts';
import { readRequest } from '../graphql/request.ts';
import type { RequestContext } from '../graphql/wire.ts';
import { notBegun } from '../to-refusal.ts';
import { MOST_AT_ONCE, OFFERS, TOO_MANY } from './offers.ts';

/** Subprotocol of `subscriptions-transport-ws`, and the default if the client offers none. */
export const LEGACY_PROTOCOL = 'graphql-ws';

/** Interval of keep-alive frames, for both ends and for proxies between them. */
const KEEP_ALIVE_MS = 10_000;
interface Frame {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly payload?: unknown;
}

/** Inputs of a connection. */
interface LegacyConnection {
  readonly plane: ControlPlane;
  readonly schema: GraphQLSchema;
  readonly socket: WebSocket;
  /** Context of each operation; `authorization` is that of the frame `connection_init`, which browsers need. */
  contextFor(authorization: string | undefined): Promise<RequestContext>;
}

/**
 * Serves a connection by the legacy protocol. As upstream's agents require, an operation may arrive before the acknowledgement is read, and
 * without an ID, which its frames then lack too.
 */
export function serveLegacy(connection: LegacyConnection): void {
  const { socket } = connection;
  const running = new Map<string, AbortController>();
  const state = { authorization: undefined as string | undefined };
  const keepAlive = setInterval(() => void send(socket, { type: 'ka' }), KEEP_ALIVE_MS);
  socket.on('message', (data) => {
    const frame = parse(data.toString());
    if (frame === undefined) socket.close(1003, 'a frame is no JSON object');
    else receive(connection, running, state, frame);
  });
  socket.once('close', () => {
    clearInterval(keepAlive);
    for (const operation of running.values()) operation.abort(new Error('the connection was closed'));
  });
}

function receive(
  connection: LegacyConnection,
  running: Map<string, AbortController>,
  state: { authorization: string | undefined },
  frame: Frame,
): void {
  const { socket } = connection;
  const id = typeof frame.id === 'string' ? frame.id : '';
  switch (frame.type) {
    case 'connection_init':
      state.authorization = authorizationOf(frame.payload);
      void send(socket, { type: 'connection_ack', payload: OFFERS });
      void send(socket, { type: 'ka' });
      return;
    case 'start': {
      const operation = new AbortController();
      running.get(id)?.abort(new Error('another operation has taken its ID'));
      if (running.size >= MOST_AT_ONCE) {
        void send(socket, failure(id, TOO_MANY));
        return;
      }
      running.set(id, operation);
      void run(connection, id, frame.payload, state.authorization, operation.signal).finally(() => {
        if (running.get(id) === operation) running.delete(id);
      });
      return;
    }
    case 'stop':
      running.get(id)?.abort(new Error('the client has stopped it'));
      return;
    case 'connection_terminate':
      socket.close(1000);
      return;
    default:
      void send(socket, failure(id, `frames of type ${JSON.stringify(frame.type)} are unknown`));
  }
}

async function run(
  { plane, schema, socket, contextFor }: LegacyConnection,
  id: string,
  payload: unknown,
  authorization: string | undefined,
  stopped: AbortSignal,
): Promise<void> {
  try {
    const request = readRequest(payload ?? {}, 'the operation could not be begun: payload.');
    const base = await contextFor(authorization);
    const context = { ...base, signal: AbortSignal.any([base.signal, stopped]) };
    const prepared = prepare(schema, request, context.caller.kind === 'user');
    if ('errors' in prepared) {
      await send(socket, { type: 'error', ...named(id), payload: prepared.errors });
    } else if (prepared.type === 'subscription') {
      await stream(socket, id, await events(schema, prepared, request, context), stopped);
    } else {
      await send(socket, data(id, await answer(schema, prepared, request, context)));
    }
  } catch (error) {
    // Errors inside operations are in their results; here the frame is at fault, or the caller could not be found out.
    const { ids, logger } = plane;
    await send(socket, { type: 'error', ...named(id), payload: [notBegun(error, ids, logger)] });
  }
  await send(socket, { type: 'complete', ...named(id) });
}

/** Each event waits until the previous one is sent: a slow reader slows its source down and fills no memory. */
async function stream(
  socket: WebSocket,
  id: string,
  source: ExecutionResult | AsyncGenerator<ExecutionResult, void, void>,
  stopped: AbortSignal,
): Promise<void> {
  if (!(Symbol.asyncIterator in source)) {
    await send(socket, data(id, source));
    return;
  }
  for await (const event of source) {
    if (stopped.aborted) return;
    await send(socket, data(id, event));
  }
}

function data(id: string, payload: ExecutionResult): object {
  return { type: 'data', ...named(id), payload };
}

function failure(id: string, message: string): object {
  return { type: 'error', ...named(id), payload: [{ message }] };
}

function named(id: string): { id?: string } {
  return id === '' ? {} : { id };
}

/** Resolves when the frame is sent; a closed socket drops it. */
function send(socket: WebSocket, frame: object): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame), () => resolve());
    else resolve();
  });
}

function parse(text: string): Frame | undefined {
  try {
    const frame: unknown = JSON.parse(text);
    return typeof frame === 'object' && frame !== null ? frame : undefined;
  } catch {
    return undefined;
  }
}

function authorizationOf(payload: unknown): string | undefined {
  const { Authorization, authorization = Authorization } = (payload ?? {}) as Record<string, unknown>;
  return typeof authorization === 'string' ? authorization : undefined;
}
