/** How a view is connected with what it shows. */
export type Connection =
  /** Nothing came yet. */
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** Connected anew; what was missed is on its way. */
  | { readonly state: 'catching-up' }
  | { readonly state: 'away'; readonly sinceMs: number };

/** What happens to a connection. A server that ends says of its subscriptions that they are complete: that is a loss too. */
export type ConnectionEvent = 'opened' | 'received' | 'lost';

/** The next state; `nowMs` is when it happened. Pure. */
export function afterEvent(before: Connection, event: ConnectionEvent, nowMs: number): Connection {
  switch (event) {
    case 'opened':
      return before.state === 'away' ? { state: 'catching-up' } : before;
    case 'received':
      return { state: 'live' };
    case 'lost':
      return before.state === 'away' ? before : { state: 'away', sinceMs: nowMs };
  }
}

/** The first try comes soon, later ones not more often than this. */
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [500, 15_000];

/**
 * How long to wait before the try of this number, from 0: twice as long each time, and somewhat more or less, so that many pages do not come
 * at once when their server is back. `random` is from 0 to 1. Pure.
 */
export function waitBeforeTry(tries: number, random: number): number {
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(tries, 10));
  return Math.round(wait * (0.5 + random / 2));
}
