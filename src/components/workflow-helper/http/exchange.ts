import { createReadStream } from 'node:fs';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { lookupOf, type Reach } from './reach.ts';

/** A request over HTTP. */
export interface Exchange {
  /** @default GET */
  readonly method?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array | FileBody;
  readonly tls?: TlsOptions;
  /** Which addresses it may go to. @default all */
  readonly reach?: Reach;
  /** Redirects of GET that are followed. @default 10 */
  readonly redirects?: number;
  readonly signal: AbortSignal;
}

/** A file that is sent as it is. */
interface FileBody {
  readonly file: string;
  readonly bytes: number;
}

export interface TlsOptions {
  /** PEM. Beside the authorities that Node knows. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly insecureSkipVerify?: boolean;
}

/** An answer whose body is still to be read. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** A server that says nothing for so long is not going to. */
const SILENCE_MS = 60_000;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Sends a request and resolves when the answer begins; its status is not judged. Redirects of GET are followed; credentials do not go to
 * another origin with them. No proxy is used.
 *
 * @throws Error of the network · the signal's reason
 */
export async function exchange(request: Exchange): Promise<Answer> {
  const { method = 'GET', redirects = 10, url } = request;
  const answer = await send(request, method);
  const { location } = answer.headers;
  if (method !== 'GET' || !REDIRECTS.has(answer.status) || location === undefined) return answer;
  answer.body.resume();
  if (redirects <= 0) throw new Error(`${url} redirects too often`);
  const next = new URL(location, url);
  return exchange({ ...request, ...onTheWay(request, next), url: next.href, redirects: redirects - 1 });
}

function onTheWay({ url, headers = {}, tls = {} }: Exchange, next: URL): Pick<Exchange, 'headers' | 'tls'> {
  if (new URL(url).origin === next.origin) return {};
  const plain = Object.entries(headers).filter(([name]) => !/^(?:authorization|cookie)$/i.test(name));
  const { cert: _cert, key: _key, ...trust } = tls;
  return { headers: Object.fromEntries(plain), tls: trust };
}

async function send(request: Exchange, method: string): Promise<Answer> {
  const { headers = {}, body, signal } = request;
  signal.throwIfAborted();
  const outgoing = await requestTo(request, method, { ...lengthOf(body), ...headers });
  outgoing.setTimeout(SILENCE_MS, () =>
    outgoing.destroy(new Error(`no answer for ${SILENCE_MS / 1000} seconds`)),
  );
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
  });
  try {
    const [message] = await Promise.all([answered, sendBody(outgoing, body, answered)]);
    return { status: message.statusCode ?? 0, headers: message.headers, body: message };
  } catch (error) {
    outgoing.destroy();
    signal.throwIfAborted();
    throw error;
  }
}

function lengthOf(body: Exchange['body']): Record<string, string> {
  if (body === undefined) return {};
  if (typeof body === 'object' && 'file' in body) return { 'content-length': String(body.bytes) };
  return { 'content-length': String(Buffer.byteLength(body)) };
}

async function sendBody(
  outgoing: ClientRequest,
  body: Exchange['body'],
  answered: Promise<IncomingMessage>,
): Promise<void> {
  if (typeof body !== 'object' || !('file' in body)) {
    outgoing.end(body);
    return;
  }
  try {
    await pipeline(createReadStream(body.file), outgoing);
  } catch (error) {
    // A server that refuses early does not read on: its answer says more than the broken connection.
    await answered.catch(() => Promise.reject(error));
  }
}

async function requestTo(
  { url, tls = {}, reach, signal }: Exchange,
  method: string,
  headers: RequestOptions['headers'],
): Promise<ClientRequest> {
  const target = new URL(url);
  // Literal addresses are not looked up.
  const refusal = isIP(hostOf(target)) === 0 ? undefined : reach?.refusal(hostOf(target));
  if (refusal !== undefined) throw new Error(refusal);
  const options: RequestOptions = { method, headers, signal, ...(reach && { lookup: lookupOf(reach) }) };
  if (target.protocol === 'http:') return process.getBuiltinModule('node:http').request(target, options);
  if (target.protocol !== 'https:') throw new Error(`${url}: only http and https can be reached`);
  const { rootCertificates } = await import('node:tls');
  const { ca, cert, key, insecureSkipVerify = false } = tls;
  return process.getBuiltinModule('node:https').request(target, {
    ...options,
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    rejectUnauthorized: !insecureSkipVerify,
  });
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** The head of a body as text; the rest is dropped. */
export async function textOf(body: Readable, mostBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= mostBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, mostBytes).toString('utf8');
}
