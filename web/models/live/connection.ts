/** State of a view's connection. */
export type Connection =
  /** No data yet. */
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** Reconnected; missed data is arriving. */
  | { readonly state: 'catching-up' }
  | { readonly state: 'away'; readonly sinceMs: number };

/** Events of a connection. A server that shuts down completes its subscriptions, which counts as a loss. */
export type ConnectionEvent = 'opened' | 'received' | 'lost';

/** The next state; `nowMs` is when it happened. Pure. */
export function afterEvent(before: Connection, event: ConnectionEvent, nowMs: number): Connection {
  switch (event) {
    case 'opened':
      return before.state === 'away' ? { state: 'catching-up' } : before;
    case 'received':
      return before.state === 'live' ? before : { state: 'live' };
    case 'lost':
      return before.state === 'away' ? before : { state: 'away', sinceMs: nowMs };
  }
}

/** Errors of the moment: the server, or what it depends on, does not answer, or has too much to do. */
const PASSING: ReadonlySet<string> = new Set(['away', 'unavailable', 'timed-out', 'too-many']);

/** Whether a subscription that ended with this code is worth another try. Pure. */
export function mayPass(code: string): boolean {
  return PASSING.has(code);
}

/** Delay before the first try, and the longest delay. */
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [500, 15_000];

/**
 * The delay before a try, numbered from 0: doubles each time, with jitter, so that many pages do not reconnect
 * at once when their server is back. `random` is from 0 to 1. Pure.
 */
export function waitBeforeTry(tries: number, random: number): number {
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(tries, 10));
  return Math.round(wait * (0.5 + random / 2));
}
