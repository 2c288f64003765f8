/** A server for tests: in process and over HTTPS, with its own data directory, removed at the end. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { checkStore } from '../../store/testing/self-check.ts';
import type { Json } from '../object.ts';
import { createApiServer } from '../server.ts';
import type { ApiServer, ApiServerOptions } from '../types.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed JSON; a body that is no JSON is under `text`. */
  readonly body: Json;
}

export interface CallOptions {
  readonly body?: unknown;
  /** Content type of the body. @default application/json */
  readonly type?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestServer {
  readonly api: ApiServer;
  readonly dataDir: string;
  /** A request in process, as the administrator unless a token is given. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** The same through TLS and a socket. */
  overHttps(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

/** Makes a server that ends with the test; its store is checked then. */
export async function startTestServer(
  t: TestContext,
  options: Partial<ApiServerOptions> & { readonly listen?: boolean } = {},
): Promise<TestServer> {
  const made = options.dataDir === undefined ? mkdtempSync(join(tmpdir(), 'turnsole-apiserver-')) : undefined;
  const dataDir = options.dataDir ?? made ?? '';
  const api = createApiServer({ ...options, dataDir });
  t.after(async () => {
    await api.close();
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
    const problems = checkStore(api.store);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  });
  if (options.listen === true) await api.listen();
  return {
    api,
    dataDir,
    call: async (method, path, call = {}) => {
      const reply = await api.handle({
        method,
        url: path,
        headers: headersOf(api, call),
        body: bodyOf(call),
      });
      const bytes = Buffer.concat(reply.body ?? []);
      // Tests only look at headers that are single texts.
      return { status: reply.status, headers: reply.headers as Answer['headers'], body: parse(bytes) };
    },
    overHttps: (method, path, call = {}) => overHttps(api, dataDir, method, path, call),
  };
}

function headersOf(api: ApiServer, { token, type, body, headers }: CallOptions): Record<string, string> {
  return {
    ...(token === '' ? {} : { authorization: `Bearer ${token ?? api.adminToken}` }),
    ...(body === undefined ? {} : { 'content-type': type ?? 'application/json' }),
    ...headers,
  };
}

function bodyOf({ body }: CallOptions): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function parse(bytes: Buffer): Json {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}

function overHttps(
  api: ApiServer,
  dataDir: string,
  method: string,
  path: string,
  call: CallOptions,
): Promise<Answer> {
  const body = bodyOf(call);
  const ca = readFileSync(join(dataDir, 'ca.crt'));
  return new Promise((resolve, reject) => {
    const headers = { ...headersOf(api, call), 'content-length': String(body.length), connection: 'close' };
    const request = httpsRequest(`${api.server}${path}`, { method, headers, ca }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: parse(Buffer.concat(pieces)),
        }),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** A pod of one container, without a service account token. */
export function podOf(name: string, more: Json = {}): Json {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { automountServiceAccountToken: false, containers: [{ name: 'main', image: 'app:1' }], ...more },
  };
}

/** A deployment whose selector and labels fit. */
export function deploymentOf(name: string, more: Json = {}): Json {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'app:1' }] },
      },
      ...more,
    },
  };
}

/** Creates the service account that pods need. */
export async function withDefaultAccount(server: TestServer, namespace = 'default'): Promise<void> {
  await server.call('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, {
    body: { metadata: { name: 'default' } },
  });
}

/** One line of a watch. */
export interface WatchLine {
  readonly type: string;
  readonly object: Json;
}

/** A watch in process; its lines can be awaited one by one. */
export interface TestWatch {
  next(): Promise<WatchLine>;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  stop(): void;
}

/** Starts a watch. Rejects when the server refuses it. */
export async function startWatch(
  server: TestServer,
  path: string,
  options: CallOptions = {},
): Promise<TestWatch> {
  const { api } = server;
  const reply = await api.handle({
    method: 'GET',
    url: path,
    headers: headersOf(api, options),
    body: Buffer.alloc(0),
  });
  if (reply.stream === undefined) throw new Error(Buffer.concat(reply.body ?? []).toString());
  const lines: WatchLine[] = [];
  const waiting: ((line: WatchLine) => void)[] = [];
  const closers: (() => void)[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  reply.stream({
    write: (bytes) => {
      for (const text of bytes.toString('utf8').split('\n')) {
        if (text === '') continue;
        const line: WatchLine = JSON.parse(text);
        const waiter = waiting.shift();
        if (waiter === undefined) lines.push(line);
        else waiter(line);
      }
    },
    pendingBytes: 0,
    drained: () => Promise.resolve(),
    end,
    abort: end,
    onClose: (listener) => closers.push(listener),
  });
  return {
    next: () => {
      const line = lines.shift();
      return line === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(line);
    },
    ended,
    stop: () => {
      for (const close of closers) close();
    },
  };
}
