import { isObject, parseObject } from '../text/json.ts';

/**
 * What became of a request to the control plane.
 *
 * - `delivered`: the server took it; `data` is that of GraphQL.
 * - `refused`: the server understood the request and did not take it; asking again with the same gives the same, unless the server changes.
 * - `again`: nothing is known about the request itself: no server, an overloaded one, or something else that answers in its place.
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

/** Statuses by which a GraphQL server says that the operation cannot be carried out as it is. */
const ABOUT_THE_REQUEST = new Set([200, 400, 413, 422]);

/** What an HTTP answer says. A body that is no GraphQL answer, whatever its status, is from something else than the server. Pure. */
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

/** The messages of GraphQL errors, whatever shape they have. Pure. */
export function errorMessages(errors: unknown): string[] {
  if (!Array.isArray(errors)) return [];
  return errors.map((error: unknown) =>
    isObject(error) && typeof error.message === 'string' ? error.message : 'an error without a message',
  );
}

/** Parts of an answer that is none are shown so far. */
const SHOWN_CHARACTERS = 80;

function whyAgain(status: number, body: string, answer: object | undefined): string {
  const what =
    answer === undefined
      ? `the answer is no JSON (${JSON.stringify(body.slice(0, SHOWN_CHARACTERS))}); check SERVER_ADDR`
      : 'the server could not answer';
  return `HTTP ${status}: ${what}`;
}

/** Nobody is asked to wait for longer than this; a server's clock, or its words, may be wrong. */
const MAX_RETRY_AFTER_MS = 300_000;

function retryAfterMs(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,6}$/.test(text)) return undefined;
  return Math.min(Number(text) * 1_000, MAX_RETRY_AFTER_MS);
}
