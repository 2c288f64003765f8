import { type HttpReply, jsonReply, textReply } from '@turnsole/kube/serve/reply';
import { parseDuration } from '@turnsole/kube/text/duration';
import { messageOf } from '@turnsole/kube/text/error-message';
import { sloTimeMs } from '../../api/slo-time.ts';
import { isTooLittle, unsentOf, unsentWords } from '../../experiment/probes/load/unsent.ts';
import { KEPT_MS, type Tally, type TallySpan } from './tally.ts';

/** What the answers are made of. */
export interface LoadFacts {
  readonly tally: Tally;
  /** Whether the service has answered yet. */
  readonly hasBegun: boolean;
  readonly concurrency: number;
  readonly nowMs: number;
}

/** A query that cannot be answered; the message names the parameter. */
class QueryError extends Error {
  override readonly name = 'QueryError';
}

/** Counts of a span of time, as `/stats` and `/slo` answer with them. */
export interface LoadStats {
  /** RFC 3339. */
  readonly since: string;
  readonly sent: number;
  readonly answered: number;
  readonly failed: number;
  /** Due, and not sent. */
  readonly notSent: number;
  /** Of those that were sent and have ended; 0 until the service has answered for the first time. */
  readonly answeredPercent: number;
  readonly failures: Readonly<Record<string, number>>;
  /** Of answers, in milliseconds; absent without any. */
  readonly latencyMs?: {
    readonly p50?: number;
    readonly p95?: number;
    readonly p99?: number;
    readonly max?: number;
  };
  /** What was not sent, in words. */
  readonly note?: string;
}

/** The answer to `GET /stats`, `GET /slo`, `POST /reset`; undefined for any other request. Resets the tally, and does nothing else. */
export function answerOf(method: string, address: string, facts: LoadFacts): HttpReply | undefined {
  const { pathname, searchParams } = new URL(address, 'http://load');
  const isRead = method === 'GET' || method === 'HEAD';
  try {
    switch (pathname) {
      case '/stats':
        return isRead ? shown(200, statsOf(facts, searchParams)) : wrongMethod('GET');
      case '/slo':
        return isRead ? judged(facts, searchParams) : wrongMethod('GET');
      case '/reset':
        if (method !== 'POST') return wrongMethod('POST');
        facts.tally.reset(facts.nowMs);
        return shown(200, statsOf(facts, searchParams));
      default:
        return undefined;
    }
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return textReply(400, `${error.message}\n`);
  }
}

function wrongMethod(right: string): HttpReply {
  return textReply(405, `only ${right} is served here\n`);
}

function shown(status: number, stats: object): HttpReply {
  const reply = jsonReply(status, stats);
  return { ...reply, body: `${String(reply.body)}\n` };
}

/** 200 where the objective is met, else 503; both with the counts. What was measured too little meets nothing. */
function judged(facts: LoadFacts, query: URLSearchParams): HttpReply {
  const text = query.get('objective') ?? '100';
  const objective = Number(text);
  if (text.trim() === '' || !(objective >= 0 && objective <= 100))
    throw new QueryError(`objective: ${JSON.stringify(text)} is no percentage from 0 to 100, such as 99.9`);
  const span = spanOf(facts, query);
  const stats = statsOf(facts, query);
  const isUnknown = span.part.measurements === 0 || isTooLittle(span.sending);
  return shown(!isUnknown && stats.answeredPercent >= objective ? 200 : 503, { objective, ...stats });
}

/** The counts that a query asks for. @throws QueryError */
export function statsOf(facts: LoadFacts, query: URLSearchParams): LoadStats {
  const { tally, hasBegun, concurrency } = facts;
  const { sending, part } = spanOf(facts, query);
  const { measurements, failed, failures = [], p50Ms: p50, p95Ms: p95, p99Ms: p99, maxMs: max } = part;
  const note = hasBegun ? unsentWords(sending, concurrency) : 'the service has not answered yet';
  return {
    since: new Date(Math.max(sinceOf(facts, query) ?? 0, tally.sinceMs)).toISOString(),
    sent: sending.sent,
    answered: measurements - failed,
    failed,
    notSent: unsentOf(sending),
    answeredPercent: !hasBegun
      ? 0
      : measurements === 0
        ? 100
        : ((measurements - failed) * 100) / measurements,
    failures: Object.fromEntries(failures.map(({ kind, count }) => [kind, count])),
    ...(p50 !== undefined && { latencyMs: { p50, p95, p99, max } }),
    ...(note !== undefined && { note }),
  };
}

function spanOf(facts: LoadFacts, query: URLSearchParams): TallySpan {
  const span = facts.tally.span(sinceOf(facts, query), facts.nowMs);
  if (span !== undefined) return span;
  throw new QueryError(`since: single seconds are known for the last ${KEPT_MS / 3_600_000} h only`);
}

/** A time, or how long ago it was. */
function sinceOf({ nowMs }: LoadFacts, query: URLSearchParams): number | undefined {
  // A `+` of a time zone is a blank in a query that was not encoded.
  const text = (query.get('since') ?? '').trim().replace(' ', '+');
  if (text === '') return undefined;
  if (/^\d+$/.test(text)) return sloTimeMs(Number(text));
  if (/^\d{4}-/.test(text) && !Number.isNaN(Date.parse(text))) return Date.parse(text);
  try {
    return nowMs - parseDuration(text);
  } catch (error) {
    throw new QueryError(
      `since: ${messageOf(error)}; or give a time such as 2030-01-31T12:00:00Z or 1896091200, in seconds since 1970`,
    );
  }
}
