/** How an answer leaves the server: failures as Statuses, JSON as YAML, warnings in their header. */
import { messageOf } from '@turnsole/kube/text/error-message';
import { ObjectTooLargeError } from '../../store/index.ts';
import { negotiate } from './accept.ts';
import { type ApiReply, type ApiRequest, JSON_TYPE, valueReply } from './exchange.ts';
import { badRequest, internalError, StatusError } from './status.ts';
import { warningHeader } from './warnings.ts';

/** The answer for a failure. */
export function statusReply(error: StatusError): ApiReply {
  const seconds = error.details?.retryAfterSeconds;
  const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return valueReply(error.code, error.toStatus(), headers);
}

/** The answer as YAML where that is what the client takes. */
export async function asAccepted({ headers }: ApiRequest, reply: ApiReply): Promise<ApiReply> {
  const { accept } = headers;
  if (accept === undefined || !accept.includes('yaml') || reply.body === undefined) return reply;
  if (reply.headers['content-type'] !== JSON_TYPE || negotiate(accept).isYaml !== true) return reply;
  const { stringify } = await import('yaml');
  const body = stringify(JSON.parse(Buffer.concat(reply.body).toString('utf8')));
  return {
    ...reply,
    headers: { ...reply.headers, 'content-type': 'application/yaml' },
    body: [Buffer.from(body)],
  };
}

/** Adds the Warning header. */
export function withWarnings(reply: ApiReply, warnings: readonly string[]): ApiReply {
  return { ...reply, headers: { ...reply.headers, warning: warningHeader(warnings) } };
}

/** The answer for a failed request. Only a hostile body can exhaust the stack: deep, or with endless mistakes. */
export function asStatusError(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  // In the words and with the code of a real server, whose storage refuses it.
  if (error instanceof ObjectTooLargeError) {
    return new StatusError(500, '', 'etcdserver: request is too large', undefined, { cause: error });
  }
  if (error instanceof RangeError && error.message.startsWith('Maximum call stack')) {
    return badRequest(
      'the request is too complex to be checked: it is nested too deeply or has too many mistakes',
    );
  }
  return internalError(messageOf(error), error);
}
