import { isObject, parseObject } from '@turnsole/kube/text/json';

/**
 * Outcome of a request to the control plane.
 *
 * - `delivered`: the server accepted it; `data` is that of GraphQL.
 * - `refused`: the server understood the request and refused it; a repetition gives the same, unless the server changes.
 * - `again`: unknown, to be repeated: no server, an overloaded one, or another program that answers in its place.
 */
export type Answer =
  | { readonly type: 'delivered'; readonly data: Readonly<Record<string, unknown>> }
  | { readonly type: 'refused'; readonly messages: readonly string[] }
  | { readonly type: 'again'; readonly why: string; readonly afterMs?: number };

/** An HTTP answer, read up to its limit. */
export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** Statuses of a GraphQL server about the request itself. */
const ABOUT_THE_REQUEST = new Set([200, 400, 413, 422]);

/** Judges an HTTP answer. A body that is no GraphQL answer, whatever its status, is not from the server. Pure. */
export function judgeAnswer({ status, retryAfter, body }: HttpAnswer): Answer {
  if (status === 413) return { type: 'refused', messages: ['the request is too large for the server (413)'] };
  const answer = parseObject(body);
  if (answer === undefined || !ABOUT_THE_REQUEST.has(status)) {
    return { type: 'again', why: whyAgain(status, body, answer), afterMs: retryAfterMs(retryAfter) };
  }
  const messages = errorMessages(answer.errors);
  if (messages.length > 0) return { type: 'refused', messages };
  if (isObject(answer.data)) return { type: 'delivered', data: answer.data };
  return { type: 'again', why: `the answer (${status}) has neither data nor errors` };
}

/** The answer in a form for logs, since servers and proxies may repeat secrets of the request. Pure. */
export function withoutSecrets(answer: Answer, secrets: readonly string[]): Answer {
  switch (answer.type) {
    case 'delivered':
      return answer;
    case 'refused':
      return { ...answer, messages: answer.messages.map((message) => concealed(message, secrets)) };
    case 'again':
      return { ...answer, why: concealed(answer.why, secrets) };
  }
}

/** A text without secrets. Pure. */
export function concealed(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== '')
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}

/** The messages of GraphQL errors, whatever shape they have. Pure. */
export function errorMessages(errors: unknown): string[] {
  if (!Array.isArray(errors)) return [];
  return errors.map((error: unknown) =>
    isObject(error) && typeof error.message === 'string' ? error.message : 'an error without a message',
  );
}

/** Shown characters of an answer that is no GraphQL answer. */
const SHOWN_CHARACTERS = 80;

function whyAgain(status: number, body: string, answer: object | undefined): string {
  return `HTTP ${status}: ${answer === undefined ? `${whatIsThere(body)}; check SERVER_ADDR` : 'the server could not answer'}`;
}

/** Shows a page, which helps to find its sender, but no truncated JSON, which may contain a key. */
function whatIsThere(body: string): string {
  const text = body.trim();
  if (text === '') return 'the answer is empty, and so no JSON';
  if (/^["[{]/.test(text))
    return `the answer is no JSON object, or only a part of one (${text.length} characters)`;
  return `the answer is no JSON (${JSON.stringify(text.slice(0, SHOWN_CHARACTERS))})`;
}

/** Longest accepted `Retry-After`, since a server's clock or header may be wrong. */
const MAX_RETRY_AFTER_MS = 300_000;

function retryAfterMs(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,6}$/.test(text)) return undefined;
  return Math.min(Number(text) * 1_000, MAX_RETRY_AFTER_MS);
}
