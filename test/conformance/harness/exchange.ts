/** Plain requests over HTTPS: what is sent is what the scenario says, and the answer is handed on as it came. */
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { ClusterConfig } from '@turnsole/kube/client/types';

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A server that scenarios run against. */
export interface Target {
  send(request: RawRequest, signal: AbortSignal): Promise<RawAnswer>;
  /** Resolves when the head of the answer is there; the body is a stream of lines. */
  open(request: RawRequest, signal: AbortSignal): Promise<IncomingMessage>;
  close(): void;
}

/** The field manager of all writes comes from this. */
const USER_AGENT = 'conformance/1';

export function connect(config: ClusterConfig): Target {
  const server = new URL(config.server);
  const authority = { keepAlive: true, ca: config.certificateAuthority };
  const own = new Agent({ ...authority, cert: config.clientCertificate, key: config.clientKey });
  // A scenario that brings its own credentials must not be known by the certificate.
  const foreign = new Agent(authority);

  async function open(raw: RawRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const token = await config.token?.();
    return await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request({
        host: server.hostname,
        port: server.port,
        method: raw.method,
        path: raw.path,
        agent: raw.headers.authorization === undefined ? own : foreign,
        signal,
        headers: {
          'user-agent': USER_AGENT,
          accept: 'application/json',
          // Node frames the body of a DELETE by itself in no way at all.
          ...(raw.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(raw.body)) }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...raw.headers,
        },
      });
      outgoing.once('response', resolve);
      outgoing.on('error', reject);
      outgoing.end(raw.body);
    });
  }

  return {
    open,
    send: async (raw, signal) => {
      const message = await open(raw, signal);
      return { status: message.statusCode ?? 0, headers: headersOf(message), body: await text(message) };
    },
    close: () => {
      own.destroy();
      foreign.destroy();
    },
  };
}

/** Headers as one line each. */
export function headersOf(message: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
}
