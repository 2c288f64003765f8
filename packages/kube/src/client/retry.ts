import type { Random } from '../base/clock.ts';
import type { Status } from './errors.ts';

/** How a try of a request ended, as far as the decision to try again needs it. */
export type FailedTry =
  | {
      readonly kind: 'connection';
      /** Node's error code: ECONNREFUSED, ECONNRESET… */
      readonly code: string | undefined;
      /** False when no byte of the request can have reached the server. */
      readonly sent: boolean;
    }
  | {
      readonly kind: 'status';
      readonly code: number;
      readonly status: Status;
      readonly retryAfter: string | undefined;
    };

interface RetrySituation {
  /** Whether it may be carried out twice: reads, and writes of which the caller says so. */
  readonly repeatable: boolean;
  /** Tries made so far, at least 1. */
  readonly tries: number;
  /** Time left of the request's limit. */
  readonly remainingMs: number;
  readonly now: number;
  /** Since this client last had no connection to the server; undefined: it always had one. */
  readonly sinceOutageMs?: number | undefined;
}

const BASE_DELAY_MS = 50;
const MAX_DELAY_MS = 5_000;
/** When the server is not overloaded: its return has to be noticed soon, as leases run out meanwhile. */
const MAX_RECONNECT_DELAY_MS = 1_000;
/** How long after an outage the answers of a server that starts are not believed. */
const STARTING_MS = 30_000;

/** Failures that no waiting cures: a wrong host name, a certificate that is not trusted, no right to the socket. */
const HOPELESS_CODES =
  /^(ENOTFOUND|EACCES|EPERM|EPROTO|ERR_TLS_.*|ERR_SSL_.*|ERR_INVALID_.*|ERR_OSSL.*|CERT_.*|.*_CERT(_.*)?|UNABLE_TO_.*)$/;

/**
 * How long to wait before the same request is sent again, or `undefined` when it must not be.
 *
 * What is repeatable is repeated unless a full answer came. Another write may be repeated only when the server cannot
 * have acted on it: the connection was never made, or the server refused the request before looking at it (429, or
 * 503 with Retry-After: priority and fairness, shutdown). A 429 of an eviction is an answer and not an overload:
 * its cause is DisruptionBudget, and the caller decides.
 *
 * An API server answers for some moments before it has read roles, accounts and definitions: it forbids what it allowed before,
 * and does not know kinds that it served. So shortly after an outage such a refusal is retried; it too came before the server acted.
 */
export function decideRetry(
  failed: FailedTry,
  situation: RetrySituation,
  random: Random,
): number | undefined {
  if (!mayRepeat(failed, situation)) return undefined;
  const delayMs = retryDelay(failed, situation, random);
  // A wait that outlasts the limit would only make the same failure come later.
  return delayMs < situation.remainingMs ? delayMs : undefined;
}

function mayRepeat(failed: FailedTry, { repeatable, sinceOutageMs }: RetrySituation): boolean {
  if (failed.kind === 'connection') {
    if (failed.code !== undefined && HOPELESS_CODES.test(failed.code)) return false;
    return repeatable || !failed.sent;
  }
  if (failed.status.details?.causes?.some((cause) => cause.reason === 'DisruptionBudget') === true) {
    return false;
  }
  if (failed.code === 429) return true;
  if (isDoubtful(failed, sinceOutageMs)) return true;
  if (failed.code === 503) return repeatable || failed.retryAfter !== undefined;
  return false;
}

/**
 * Whether an answer may be the mistake of a server that is back and has not read everything yet. A 404 that names its object comes from
 * the store. A caller without time to ask again has no answer then: this one does not say what the server allows.
 */
export function isDoubtful(failed: FailedTry, sinceOutageMs: number | undefined): boolean {
  if (failed.kind === 'connection' || sinceOutageMs === undefined || sinceOutageMs >= STARTING_MS)
    return false;
  const { code, status } = failed;
  return code === 401 || code === 403 || (code === 404 && status.details?.name === undefined);
}

function retryDelay(failed: FailedTry, situation: RetrySituation, random: Random): number {
  const isOverload = failed.kind === 'status' && (failed.code === 429 || failed.code === 503);
  const maxMs = isOverload ? MAX_DELAY_MS : MAX_RECONNECT_DELAY_MS;
  const ceiling = Math.min(maxMs, BASE_DELAY_MS * 2 ** (situation.tries - 1));
  // Full jitter: clients that failed together do not come back together.
  const jitter = random() * ceiling;
  if (failed.kind === 'connection') return jitter;
  const asked = parseRetryAfter(failed.retryAfter, situation.now);
  return asked === undefined ? jitter : asked + Math.min(jitter, 100);
}

/** Milliseconds a Retry-After header asks for: seconds or an HTTP date (RFC 9110, 10.2.3). */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
