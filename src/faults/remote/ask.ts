/** One HTTP request of a fault to something that is not the API server: an application, the controller of a machine. */

import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import { messageOf } from '@turnsole/kube/text/error-message';

/** The question. */
interface Question {
  readonly url: string;
  /** @default GET */
  readonly method?: 'GET' | 'POST';
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the server's certificate has to be one that this machine trusts. @default true */
  readonly verifyTls?: boolean;
  /** @default 10_000 */
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
}

/** What came back, whatever its status. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

/** Nothing came back: no connection, a certificate that is not trusted, no answer in time, an answer that was cut off. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

const TIMEOUT_MS = 10_000;
const BODY_LIMIT_BYTES = 1024 * 1024;

/**
 * Asks on a connection of its own, which is closed afterwards.
 *
 * @throws NoAnswerError with what was found · the signal's reason
 */
export async function ask(question: Question): Promise<Answer> {
  const { url, method = 'GET', body, timeoutMs = TIMEOUT_MS, signal } = question;
  const late = AbortSignal.timeout(timeoutMs);
  const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const options: RequestOptions & { rejectUnauthorized: boolean } = {
    method,
    agent: false,
    rejectUnauthorized: question.verifyTls ?? true,
    signal: AbortSignal.any([signal, late]),
    headers: {
      accept: 'application/json',
      ...(sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': sent.length }),
      ...question.headers,
    },
  };
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  try {
    return await new Promise<Answer>((resolve, reject) => {
      const asked = request(url, options, (response) => void readAnswer(response).then(resolve, reject));
      asked.on('error', reject);
      asked.end(sent);
    });
  } catch (cause) {
    signal.throwIfAborted();
    const found = late.aborted ? `no answer within ${timeoutMs / 1000} s` : messageOf(cause);
    throw new NoAnswerError(`${method} ${url}: ${found}`, { cause });
  }
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT_BYTES) throw new Error('the answer is longer than 1 MiB');
    chunks.push(chunk);
  }
  const { statusCode: status = 0, headers } = response;
  return { status, text: Buffer.concat(chunks).toString('utf8'), headers };
}

/** An answer in a few words, for messages. Pure. */
export function describeAnswer({ status, text }: Pick<Answer, 'status' | 'text'>): string {
  const words = text.replaceAll(/\s+/g, ' ').trim();
  const said = words.length > 200 ? `${words.slice(0, 200)}…` : words;
  return said === '' ? `status ${status}` : `status ${status}: ${said}`;
}

/** Host and port of a URL; IPv6 addresses get their brackets. Pure. */
export function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
