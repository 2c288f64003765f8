import { connect, constants, type IncomingHttpHeaders } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { TraceSettings } from '../settings.ts';
import { type Answer, answerOfGrpc, type Transmit } from './answer.ts';
import type { TlsFiles } from './tls-files.ts';

const METHOD = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

/**
 * OTLP over gRPC: one request with one message, which is all of gRPC that a trace needs. The protocol is that of
 * github.com/grpc/grpc, doc/PROTOCOL-HTTP2.md.
 */
export function grpcTransmit(settings: TraceSettings, tls: TlsFiles): Transmit {
  const { url, isCompressed, timeoutMs } = settings;
  const headers = {
    ...settings.headers,
    [constants.HTTP2_HEADER_METHOD]: 'POST',
    [constants.HTTP2_HEADER_PATH]: METHOD,
    te: 'trailers',
    'content-type': 'application/grpc',
    'grpc-timeout': `${timeoutMs}m`,
    ...(isCompressed ? { 'grpc-encoding': 'gzip' } : {}),
  };
  return async (request, signal) => {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    // A stream that waits for its connection fails with it, and has the reason as its cause.
    const failed = (error: Error): void =>
      resolve({ kind: 'later', why: `cannot reach the collector: ${messageOf(error.cause ?? error)}` });
    const session = connect(url.origin, tls);
    session.on('error', failed);
    try {
      const stream = session.request(headers, { signal });
      let last: IncomingHttpHeaders = {};
      let status: number | undefined;
      stream.once('response', (received) => {
        status = received[':status'];
        last = received;
      });
      stream.once('trailers', (received) => {
        last = received;
      });
      stream.on('error', failed);
      // Without a reader the stream would not come to its end.
      stream.resume();
      stream.once('end', () =>
        resolve(answerOfGrpc(status, textOf(last['grpc-status']), textOf(last['grpc-message']))),
      );
      stream.once('close', () => resolve(answerOfGrpc(status, undefined, undefined)));
      stream.end(framed(request, isCompressed));
      return await promise;
    } finally {
      session.destroy();
    }
  };
}

/** A message: whether it is compressed, its length in four bytes, and itself. */
function framed(message: Uint8Array, isCompressed: boolean): Buffer {
  const body = isCompressed ? gzipSync(message) : message;
  const head = Buffer.alloc(5);
  head.writeUInt8(isCompressed ? 1 : 0, 0);
  head.writeUInt32BE(body.byteLength, 1);
  return Buffer.concat([head, body]);
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
