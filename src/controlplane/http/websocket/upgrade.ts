import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { WebSocketServer } from 'ws';
import type { ControlPlane } from '../../access/context.ts';
import { asReached } from '../../access/trusted-proxies.ts';
import { originAllowed, ownOrigins } from '../browser-origins.ts';
import { callerOf } from '../caller-of-request.ts';
import { GRAPHQL_PATHS } from '../graphql/routes.ts';
import type { RequestContext } from '../graphql/wire.ts';
import { hostAllowed } from '../hosts.ts';
import { LEGACY_PROTOCOL, serveLegacy } from './legacy.ts';
import { MODERN_PROTOCOL, serveModern } from './modern.ts';
import { RoundTrips } from './round-trips.ts';

/** Agents send events by HTTP; sockets carry documents only. */
const FRAME_BYTES = 1024 * 1024;
/** Interval of pings to each connection: an agent that loses its network does not close it. */
const PING_MS = 15_000;

/** How long the shutdown waits for clients to answer that a connection is closed: those that lost their network never do. */
const GOODBYE_MS = 1_000;

/** Accepts websockets on the GraphQL paths. @returns closes them all, and resolves when they are closed */
export function takeWebSockets(
  app: FastifyInstance,
  plane: ControlPlane,
  schema: GraphQLSchema,
): () => Promise<void> {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: FRAME_BYTES,
    handleProtocols: (offered) =>
      [MODERN_PROTOCOL, LEGACY_PROTOCOL].find((protocol) => offered.has(protocol)) ?? false,
  });
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refusal = refusalOf(request, plane);
    if (refusal !== undefined) {
      // Node has removed its listener by now, and `ws` adds one to accepted sockets only: without this one a client's reset would end the server.
      socket.on('error', () => socket.destroy());
      // A client that never closes its side would hold the connection.
      socket.once('finish', () => socket.destroy());
      socket.end(`HTTP/1.1 ${refusal}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const gone = new AbortController();
      webSocket.on('error', () => {});
      webSocket.once('close', () => gone.abort(new Error('the connection was closed')));
      watch(webSocket);
      const { roundTrip } = new RoundTrips(webSocket, plane.clock);
      const contextFor = async (authorization: string | undefined): Promise<RequestContext> => ({
        ...(await contextOf(plane, request, authorization, gone.signal)),
        roundTrip,
      });
      const serve = webSocket.protocol === MODERN_PROTOCOL ? serveModern : serveLegacy;
      serve({ plane, schema, socket: webSocket, contextFor });
    });
  });
  return async () => {
    const closed = [...sockets.clients].map(
      (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    // 1001: the server goes away; agents and pages reconnect by themselves, to another replica or after the restart.
    for (const socket of sockets.clients) socket.close(1001, 'the server ends');
    sockets.close();
    const timer = setTimeout(() => {
      for (const socket of sockets.clients) socket.terminate();
    }, GOODBYE_MS);
    await Promise.all(closed);
    clearTimeout(timer);
  };
}

/** Status line for a refused upgrade; undefined for an accepted one. */
function refusalOf(request: IncomingMessage, { settings, signal }: ControlPlane): string | undefined {
  const { url, headers } = request;
  const path = (url ?? '').split('?', 1)[0];
  if (!GRAPHQL_PATHS.some((known) => known === path)) return '404 Not Found';
  if (!hostAllowed(headers.host, settings.hosts)) return '421 Misdirected Request';
  if (!originAllowed(headers.origin, ownOrigins(settings, request), settings.allowedOrigins))
    return '403 Forbidden';
  return signal.aborted ? '503 Service Unavailable' : undefined;
}

async function contextOf(
  plane: ControlPlane,
  request: IncomingMessage,
  authorization: string | undefined,
  gone: AbortSignal,
): Promise<RequestContext> {
  const headers = request.headers;
  const caller = await callerOf(
    plane,
    { ...headers, authorization: authorization ?? headers.authorization },
    true,
  );
  const { publicUrl, trustedProxies } = plane.settings;
  const { protocol, host = 'localhost' } = asReached(request, trustedProxies);
  const origin = {
    address: request.socket.remoteAddress ?? '',
    serverUrl: publicUrl ?? `${protocol}://${host}`,
  };
  return { plane, caller, origin, signal: AbortSignal.any([plane.signal, gone]) };
}

/** Ends the connection if a ping is not answered before the next one. */
function watch(socket: import('ws').WebSocket): void {
  let answered = true;
  socket.on('pong', () => {
    answered = true;
  });
  const timer = setInterval(() => {
    if (!answered) socket.terminate();
    answered = false;
    socket.ping();
  }, PING_MS);
  socket.once('close', () => clearInterval(timer));
}
