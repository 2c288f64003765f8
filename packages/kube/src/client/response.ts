import type { IncomingMessage } from 'node:http';
import { parseObject } from '../text/json.ts';
import { ApiError, type Status } from './errors.ts';

/** Longest part of a page that is no Status (a proxy's HTML, say) shown in a message. */
const MAX_FOREIGN_TEXT = 300;

/** The message of a failure whose body was empty. */
export const NO_EXPLANATION = 'the server sent no explanation';

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** Reads a whole body as text. */
export async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] !== undefined
    ? chunks[0].toString('utf8')
    : Buffer.concat(chunks).toString('utf8');
}

/** The failure an answer stands for; proxies and load balancers answer with something else than a Status. */
export function toStatus(code: number, contentType: string | undefined, text: string): Status {
  const parsed = contentType?.includes('json') === true ? parseObject(text) : undefined;
  if (parsed !== undefined && parsed.kind === 'Status') {
    // The server's own type; every field is optional, and none is trusted beyond being shown.
    const status = parsed as Status;
    return status.reason === undefined || status.reason === ''
      ? { ...status, reason: REASONS[code] ?? '' }
      : status;
  }
  const foreign = text.trim().replace(/\s+/g, ' ');
  const shown = foreign.length > MAX_FOREIGN_TEXT ? `${foreign.slice(0, MAX_FOREIGN_TEXT)}…` : foreign;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    reason: REASONS[code] ?? '',
    message: shown === '' ? NO_EXPLANATION : shown,
  };
}

/** The error of an ERROR item in a watch stream, which carries a Status. */
export function watchError(request: string, object: unknown): ApiError {
  const status: Status = typeof object === 'object' && object !== null ? object : {};
  return new ApiError(request, status.code ?? 500, status);
}
