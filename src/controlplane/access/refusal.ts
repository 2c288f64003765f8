/** Kinds of refusals; each interface (GraphQL, REST) has its own words for them. */
type RefusalCode =
  /** Not signed in, or with an invalid token. */
  | 'unauthenticated'
  /** Signed in, and not allowed. */
  | 'forbidden'
  | 'not-found'
  /** The input is invalid; the sentence names the field. */
  | 'invalid'
  /** A duplicate, or another client was faster. */
  | 'conflict'
  /** The safety lever prevents it; the sentence says who has pulled it. */
  | 'halted'
  | 'too-many'
  | 'too-large'
  /** A dependency does not answer: the database, an agent, a Git server. */
  | 'unavailable'
  | 'timed-out';

/** HTTP status of each. */
const STATUS: Readonly<Record<RefusalCode, number>> = {
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  invalid: 400,
  conflict: 409,
  halted: 409,
  'too-many': 429,
  'too-large': 413,
  unavailable: 503,
  'timed-out': 504,
};

/** Further parts of a refusal. */
interface RefusalDetails {
  /** Fields of the request that are wrong. */
  readonly fields?: readonly string[];
  /** HTTP status where clients of upstream expect another one than the code's. */
  readonly status?: number;
  /** `error` in a REST answer, where clients of upstream expect a certain text. */
  readonly error?: string;
  /** True where clients of upstream look for the sentence in `message`. */
  readonly asMessage?: true;
  readonly cause?: unknown;
}

/**
 * A request that the server refuses, with a sentence for the caller. All other errors are the server's own: it logs them, and the caller
 * gets an ID that identifies the log line.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly status: number;
  readonly fields: readonly string[];
  readonly error: string | undefined;
  readonly asMessage: boolean;

  constructor(code: RefusalCode, sentence: string, details: RefusalDetails = {}) {
    super(sentence, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? STATUS[code];
    this.fields = details.fields ?? [];
    this.error = details.error;
    this.asMessage = details.asMessage === true;
  }
}

/** The value. @throws Refusal if there is none */
export function found<T>(value: T | undefined | null, sentence: string): T {
  if (value === undefined || value === null) throw new Refusal('not-found', sentence);
  return value;
}
