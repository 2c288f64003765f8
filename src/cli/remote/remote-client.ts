import { messageOf } from '@turnsole/kube/text/error-message';
import { CommandError } from '../../services/errors.ts';

/** A server longer silent than this does not answer; ours waits for logs of an agent for 45 s. */
const ANSWER_MS = 60_000;

/** The server to ask. */
interface RemoteAddress {
  /** Such as `https://chaos.example.com`, without a path at its end. */
  readonly url: string;
  /** Absent: not signed in. */
  readonly token?: string;
  /** What to do when the token is not valid. @default `sign in again with "turnsole remote login URL"` */
  readonly remedy?: string;
}

/** HTTP statuses of a server that cannot answer now. */
const NOT_THERE: readonly number[] = [502, 503, 504];

type Fields = Readonly<Record<string, unknown>>;

/**
 * Speaks to a control plane: this project's or ChaosCenter's, by the paths of ChaosCenter's page, which both serve.
 *
 * All methods throw CommandError: REMOTE_UNREACHABLE without an answer, NOT_SIGNED_IN, REMOTE_REFUSED with the server's sentence.
 */
export class RemoteClient {
  readonly url: string;
  readonly #token: string | undefined;
  readonly #remedy: string;

  constructor({ url, token, remedy = `sign in again with "turnsole remote login ${url}"` }: RemoteAddress) {
    this.url = url;
    this.#token = token;
    this.#remedy = remedy;
  }

  /** A query or mutation. @returns its data */
  async graphql<T>(query: string, variables: Fields = {}, signal?: AbortSignal): Promise<T> {
    const { status, body } = await this.#send('POST', '/api/query', { query, variables }, signal);
    const { data, errors } = body as GraphQLAnswer;
    const [error] = errors ?? [];
    if (error !== undefined) {
      const { code, fields = [] } = error.extensions ?? {};
      // A sentence may name its field already.
      const named = fields.filter((field) => !error.message.includes(field.split('.').at(-1) ?? field));
      const where = named.length === 0 ? '' : ` (${named.join(', ')})`;
      throw this.#refused(status, `${error.message}${where}`, code);
    }
    if (data === undefined || data === null) throw this.#refused(status, sentenceOf(body));
    return data as T;
  }

  /** A call of the authentication API. @returns the answer's body */
  async rest<T>(method: 'GET' | 'POST', path: string, body?: Fields): Promise<T> {
    const answer = await this.#send(method, `/auth${path}`, body);
    if (answer.status >= 400) throw this.#refused(answer.status, sentenceOf(answer.body));
    return answer.body as T;
  }

  #refused(status: number, sentence: string, code?: string): CommandError {
    if (status === 401 || code === 'unauthenticated' || SIGNED_OUT.test(sentence)) {
      // Our server says it as well, in other words than those of a command.
      const what = sentence.replace(/; sign in( again)?$/, '');
      return new CommandError(`${this.url}: ${what}; ${this.#remedy}`, 'NOT_SIGNED_IN');
    }
    return new CommandError(
      `${this.url}: ${sentence}`,
      code === 'halted' ? 'CHAOS_HALTED' : 'REMOTE_REFUSED',
    );
  }

  async #send(
    method: 'GET' | 'POST',
    path: string,
    body: Fields | undefined,
    signal?: AbortSignal,
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    const late = AbortSignal.timeout(ANSWER_MS);
    try {
      const reply = await fetch(`${this.url}${path}`, {
        method,
        redirect: 'error',
        signal: signal === undefined ? late : AbortSignal.any([signal, late]),
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
          // ChaosCenter makes the address in manifests from this.
          referer: `${this.url}/`,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      // What a server that is starting or ending says, and what proxies say for one that is not there.
      if (NOT_THERE.includes(reply.status)) throw new Error(`HTTP status ${reply.status}`);
      return { status: reply.status, body: readBody(await reply.text()) };
    } catch (error) {
      signal?.throwIfAborted();
      throw new CommandError(`${this.url} does not answer: ${reasonOf(error)}`, 'REMOTE_UNREACHABLE', {
        cause: error,
      });
    }
  }
}

interface GraphQLAnswer {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    /** Our server names the fields of the request that are wrong. */
    readonly extensions?: { readonly code?: string; readonly fields?: readonly string[] };
  }[];
}

/** JSON as it is, anything else as its text. Pure. */
function readBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text.slice(0, 200) };
  }
}

/** The sentence in an error's body, in any of its shapes. */
function sentenceOf(body: unknown): string {
  const { errorDescription, error, message } = body as Record<string, unknown>;
  const found = [errorDescription, message, error].find((text) => typeof text === 'string' && text !== '');
  return typeof found === 'string'
    ? found
    : 'the answer has neither data nor errors: is this a control plane?';
}

const SIGNED_OUT = /invalid token|token is (revoked|expired)|unauthorized/i;

/** Fetch wraps what has happened to the connection. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return messageOf(cause) || (cause as NodeJS.ErrnoException).code || 'the connection failed';
}
