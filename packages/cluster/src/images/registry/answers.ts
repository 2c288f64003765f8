/** What an answer of a registry means: for whoever reads the message, and for another try. Pure. */
import { messageOf } from '@turnsole/kube/text/error-message';
import { isObject, parseObject, textOf } from '@turnsole/kube/text/json';
import { asOneLine } from '@turnsole/kube/text/visible';
import { ImageError, type ImageErrorCode } from '../errors.ts';
import { DOCKER_HUB } from '../reference/image-name.ts';

export interface Question {
  /** What was asked for: `docker.io/library/redis:7`, or a layer of it. */
  readonly what: string;
  /** The host that was asked. */
  readonly host: string;
  readonly registry: string;
  /** Whether credentials were sent. */
  readonly isNamed: boolean;
}

/** Tries in a row without a byte of progress. */
export const MOST_TRIES = 5;
/** A registry that wants to be left alone for longer is not waited for. */
const LONGEST_WAIT_MS = 60_000;
export const BACKOFF = { baseMs: 500, maxMs: 10_000, jitter: 'equal' } as const;

/** The error for an answer that is not the content. `body` is what came with it. */
export function answerError(status: number, body: string, question: Question): ImageError {
  const { what, host, registry, isNamed } = question;
  const said = saidBy(body);
  const because = said === '' ? '' : ` (${said})`;
  const failed = (code: ImageErrorCode, why: string): ImageError =>
    new ImageError(code, `cannot pull ${what}: ${why}`);
  if (status === 401 || status === 403) {
    if (isNamed) return failed('unauthorized', `${host} does not give it to these credentials${because}`);
    const hub = registry === DOCKER_HUB ? ', or there is no such image: the Hub does not tell which' : '';
    return failed(
      'unauthorized',
      `${host} asks who wants it${hub}${because}; docker login ${registry}, or an imagePullSecret, says so`,
    );
  }
  if (status === 404) return failed('not-found', `${host} has no such image${because}`);
  if (status === 429) return failed('too-many-requests', `${host} was asked too often${because}`);
  if (status >= 500) return failed('unavailable', `${host} answers ${status}${because}`);
  return failed('unavailable', `${host} answers ${status}, which makes no sense here${because}`);
}

/** The error for a request without an answer. */
export function connectionError(error: unknown, { what, host, registry }: Question): ImageError {
  const { code = '' } = error as NodeJS.ErrnoException;
  const message = messageOf(error);
  const failed = (why: string): ImageError =>
    new ImageError('unavailable', `cannot pull ${what}: ${why}`, { cause: error });
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return failed(`the name ${host} is not found${code === 'EAI_AGAIN' ? ' at the moment' : ''}`);
  if (code === 'ECONNREFUSED') return failed(`nothing listens at ${host}`);
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(code)) {
    return failed(
      `the certificate of ${host} is not trusted (${message}); put its authority into /etc/docker/certs.d/${host}/ca.crt`,
    );
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return failed(
      `${host} does not speak TLS; TURNSOLE_INSECURE_REGISTRIES=${registry} lets it be asked without`,
    );
  }
  return failed(`${host} cannot be reached (${message})`);
}

/** Errors of connections that are the same at the next try. */
export function isLastingError(error: unknown): boolean {
  const { code = '', name } = error as NodeJS.ErrnoException;
  return (
    code === 'ENOTFOUND' ||
    code === 'EPROTO' ||
    name === 'RedirectError' ||
    /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME|ERR_SSL|ERR_INVALID/.test(code)
  );
}

/** How long an answer asks to be left alone, in milliseconds; undefined when it does not, infinite when that is too long to wait. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  if (!Number.isFinite(ms)) return undefined;
  return ms > LONGEST_WAIT_MS ? Number.POSITIVE_INFINITY : Math.max(0, ms);
}

/** Answers that may be another one a little later. */
export function isPassing(status: number): boolean {
  return status === 429 || status === 408 || status >= 500;
}

/** The messages of an answer (OCI Distribution Specification, "Error codes"), made short. */
function saidBy(body: string): string {
  const errors = parseObject(body)?.['errors'];
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  if (!isObject(first)) return '';
  const said = textOf(first['message']) || textOf(first['code']);
  // Others' words must not steer a terminal.
  return asOneLine(said).slice(0, 200);
}
