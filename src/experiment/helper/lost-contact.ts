/** What a helper knows of the API server and of its experiment. Times are this machine's alone, in milliseconds. */
interface Silence {
  /** When it last asked anything. */
  readonly askedMs: number;
  /** When it last asked for the result and got it. */
  readonly lookedMs: number;
  /** The first question without an answer since then. */
  readonly missedMs: number | undefined;
  /** When it first got the result again after such a question. */
  readonly backMs: number | undefined;
  /** The renewal that the result shows, and the last moment that is known to be before it. */
  readonly renewTime: string | undefined;
  readonly renewedAfterMs: number;
}

/** The question: whether the server answers, or for the result. */
interface Question {
  readonly kind: 'ping' | 'look';
  readonly atMs: number;
}

/** Looks per lease: a renewal cannot be older than the look before the one that saw it. */
const LOOKS_PER_LEASE = 6;
/** Between two looks, by a request that costs the server next to nothing: from when on it was out of reach is known as exactly. */
const PING_EVERY_MS = 1_000;
/** Experiments renew so many times per lease (lifecycle/renew-lease.ts). */
const RENEWALS_PER_LEASE = 3;
/**
 * How much longer than its lease a fault may stay: renewals under load come late. The contract is the lease and 2 s, in which the
 * revert has to find its place as well.
 */
const MARGIN_MS = 1_000;
/** Limit, however often the API server goes away and comes back. */
const MOST_LEASES = 2;

/** At the start: the server has just stored the plan. Pure. */
export function noSilence(nowMs: number): Silence {
  const [missedMs, backMs, renewTime] = [undefined, undefined, undefined];
  return { askedMs: nowMs, lookedMs: nowMs, missedMs, backMs, renewTime, renewedAfterMs: nowMs };
}

/** After a look that was answered. Pure. */
export function looked(
  before: Silence,
  askedMs: number,
  nowMs: number,
  renewTime: string | undefined,
): Silence {
  const isRenewed = renewTime !== before.renewTime;
  return {
    askedMs,
    lookedMs: askedMs,
    missedMs: undefined,
    backMs: before.missedMs === undefined ? before.backMs : nowMs,
    renewTime,
    renewedAfterMs: isRenewed ? before.lookedMs : before.renewedAfterMs,
  };
}

/** After an answered ping: it says nothing about a result that could not be read. Pure. */
export function pinged(before: Silence, askedMs: number): Silence {
  return { ...before, askedMs };
}

/** After a question without an answer. Pure. */
export function missed(before: Silence, askedMs: number): Silence {
  return { ...before, askedMs, missedMs: before.missedMs ?? askedMs };
}

/** Until when the API server may stay away: silence counts from the answer that was due. Pure. */
export function reachableUntilMs({ missedMs }: Silence, leaseMs: number): number {
  return missedMs === undefined ? Infinity : missedMs + leaseMs;
}

/**
 * Until when the experiment may be silent. While the API server was away no renewal could be seen, so it has the time for one renewal after
 * that. Pure.
 */
export function renewedUntilMs({ renewTime, renewedAfterMs, backMs }: Silence, leaseMs: number): number {
  if (renewTime === undefined) return Infinity;
  const leaseEndsMs = renewedAfterMs + leaseMs;
  const nextDueMs = backMs === undefined ? -Infinity : backMs + leaseMs / RENEWALS_PER_LEASE;
  return Math.min(Math.max(leaseEndsMs, nextDueMs), renewedAfterMs + MOST_LEASES * leaseMs) + MARGIN_MS;
}

/** The next question. While the server is silent, only the result is worth asking for. Pure. */
export function nextQuestion(silence: Silence, leaseMs: number): Question {
  const everyMs = lookEveryMs(leaseMs);
  const pingMs = silence.askedMs + Math.min(PING_EVERY_MS, everyMs);
  if (silence.missedMs !== undefined) {
    const untilMs = reachableUntilMs(silence, leaseMs);
    return { kind: 'look', atMs: Math.min(pingMs, Math.max(untilMs, silence.askedMs)) };
  }
  const lookMs = Math.min(
    silence.lookedMs + everyMs,
    Math.max(renewedUntilMs(silence, leaseMs), silence.askedMs),
  );
  return lookMs <= pingMs ? { kind: 'look', atMs: lookMs } : { kind: 'ping', atMs: pingMs };
}

/** Time between two looks at the result. Pure. */
export function lookEveryMs(leaseMs: number): number {
  return leaseMs / LOOKS_PER_LEASE;
}
