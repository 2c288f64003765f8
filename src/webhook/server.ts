import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { AdmissionRequest, AdmissionResponse } from './admission.ts';
import type { Identity } from './identity.ts';

/** Objects of our kinds are refused by the API server beyond 1.5 MiB; both states of one fit. */
const MAX_BODY_BYTES = 8 * 2 ** 20;

/** A running webhook server. */
export interface WebhookServer {
  readonly port: number;
  /** Serves new connections with a renewed certificate. */
  renew(identity: Identity): void;
  /** Ends as soon as what is under way has been answered. */
  close(): Promise<void>;
}

/** What {@link startWebhookServer} needs. */
export interface WebhookServerOptions {
  /** 0 = any free one. */
  readonly port: number;
  readonly host?: string;
  readonly identity: Identity;
  readonly review: (request: AdmissionRequest) => Promise<AdmissionResponse>;
  /** Told of requests that could not be judged; the API server then follows its failure policy. */
  readonly onError: (error: unknown) => void;
}

/** Answers AdmissionReviews (admission.k8s.io/v1) at `/validate`. */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const { identity, port, host } = options;
  let underWay = 0;
  let isClosing = false;
  // API servers keep connections that they have not used yet, or are still greeting us on; Node counts neither as idle.
  const sockets = new Set<Socket>();
  const closeQuiet = (): void => {
    if (isClosing && underWay === 0) for (const socket of sockets) socket.destroy();
  };
  const server = createServer({ cert: identity.certificate, key: identity.key }, (request, response) => {
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
      closeQuiet();
    });
    answer(request, response, options).catch((error: unknown) => {
      options.onError(error);
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end(`${error instanceof Error ? error.message : String(error)}\n`);
    });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    renew: ({ certificate, key }) => server.setSecureContext({ cert: certificate, key }),
    close: () =>
      new Promise((resolve) => {
        isClosing = true;
        server.close(() => resolve());
        closeQuiet();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { review }: WebhookServerOptions,
): Promise<void> {
  if (request.method !== 'POST' || request.url?.split('?')[0] !== '/validate') {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('only POST /validate is here\n');
    return;
  }
  const asked = readReview(await readBody(request));
  if (asked === undefined) {
    response
      .writeHead(400, { 'content-type': 'text/plain' })
      .end('expected an AdmissionReview with a request\n');
    return;
  }
  const answered = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: await review(asked),
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answered));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error(`the request is larger than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function readReview(text: string): AdmissionRequest | undefined {
  try {
    // Judged right below.
    const { request } = JSON.parse(text) as { request?: AdmissionRequest };
    return typeof request?.uid === 'string' && typeof request.userInfo === 'object' ? request : undefined;
  } catch {
    return undefined;
  }
}
