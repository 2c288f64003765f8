/** A collector for tests: takes OTLP by HTTP, as JSON or protobuf, and by gRPC, and keeps the spans. */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createGrpcServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { type ReceivedSpan, spansOfJson, spansOfProtobuf } from './received.ts';

/** What the receiver answers to a request; by default it takes it. */
export interface ReceiverAnswer {
  /** Status by HTTP. @default 200 */
  readonly status?: number;
  /** Status by gRPC. @default 0 */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: string;
}

/** A request as it came. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A receiver that listens until the test ends. */
export interface OtlpReceiver {
  /** `HOST:PORT`, of each protocol. */
  readonly http: string;
  readonly grpc: string;
  readonly spans: readonly ReceivedSpan[];
  readonly requests: readonly ReceivedRequest[];
  /** Resolves when so many requests have come. @throws Error after 10 s */
  received(count: number): Promise<void>;
}

/** A test, or what else ends. */
interface Ending {
  after(end: () => Promise<void>): void;
}

/**
 * @param answer asked for each request, with its number from 1; undefined: it is never answered
 * @param host that it listens on
 */
export async function startOtlpReceiver(
  test: Ending,
  answer: (count: number) => ReceiverAnswer | undefined = () => ({}),
  host = '127.0.0.1',
): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: ReceivedRequest[] = [];
  const arrivals = new EventEmitter();
  /** The answer; spans count when the request is accepted. */
  const take = (request: ReceivedRequest, read: () => ReceivedSpan[]): ReceiverAnswer | undefined => {
    requests.push(request);
    const said = answer(requests.length);
    if (said !== undefined && (said.status ?? 200) === 200 && (said.code ?? 0) === 0) spans.push(...read());
    arrivals.emit('request');
    return said;
  };
  const onHttp = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { headers, url = '' } = request;
    const body = unpacked(await buffer(request), headers['content-encoding']);
    const isJson = headers['content-type'] === 'application/json';
    const said = take({ path: url, headers }, () =>
      isJson ? spansOfJson(body.toString()) : spansOfProtobuf(body),
    );
    if (said !== undefined) response.writeHead(said.status ?? 200, said.headers).end(said.message ?? '');
  };
  const onGrpc = async (stream: ServerHttp2Stream, headers: ReceivedRequest['headers']): Promise<void> => {
    stream.on('error', () => {});
    const framed = await buffer(stream);
    const message = framed.subarray(5, 5 + framed.readUInt32BE(1));
    const body = unpacked(message, framed.readUInt8(0) === 1 ? 'gzip' : undefined);
    const said = take({ path: String(headers[':path']), headers }, () => spansOfProtobuf(body));
    if (said === undefined) return;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.once('wantTrailers', () =>
      stream.sendTrailers({
        'grpc-status': String(said.code ?? 0),
        ...(said.message === undefined ? {} : { 'grpc-message': encodeURIComponent(said.message) }),
      }),
    );
    // An empty message: everything was taken.
    stream.end(Buffer.alloc(5));
  };
  const http = createServer((request, response) => void onHttp(request, response));
  const grpc = createGrpcServer().on('stream', (stream, headers) => void onGrpc(stream, headers));
  const sessions = new Set<{ destroy(): void }>();
  grpc.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => {});
  });
  test.after(async () => {
    for (const session of sessions) session.destroy();
    http.closeAllConnections();
    await Promise.all([http, grpc].map((server) => new Promise((resolve) => server.close(resolve))));
  });
  const [ofHttp, ofGrpc] = await Promise.all([listening(http, host), listening(grpc, host)]);
  const received = async (count: number): Promise<void> => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    while (requests.length < count) await once(arrivals, 'request', { signal });
  };
  return { http: ofHttp, grpc: ofGrpc, spans, requests, received };
}

async function listening(server: Pick<Server, 'listen' | 'address' | 'once'>, host: string): Promise<string> {
  server.listen(0, host);
  await once(server as Server, 'listening');
  // A listening TCP server has an address with a port.
  return `${host}:${(server.address() as AddressInfo).port}`;
}

function unpacked(body: Buffer, encoding: string | undefined): Buffer {
  return encoding === 'gzip' ? gunzipSync(body) : body;
}
