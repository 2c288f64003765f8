import { backoffDelayMs } from '@turnsole/kube/base/backoff';
import type { Action } from '../commands/action.ts';
import { type CloseMeaning, meaningOf, meaningOfStatus } from './close-codes.ts';
import type { Dialect, Frame, Offers } from './frames.ts';

/** What every state knows. */
interface Common {
  /** Number of the latest socket; events of others change nothing. */
  readonly socket: number;
  /** Tries since a connection lasted. */
  readonly attempt: number;
  /** Whether sub-protocols are offered; a server may know none. */
  readonly offersProtocols: boolean;
}

/**
 * The connection to the control plane.
 *
 *     idle ─start─▶ dialling ─opened─▶ greeting ─ack─▶ live
 *                      ▲  └──failed, too slow──┐ │closed, silent, displaced
 *                      └──────time── waiting ◀─┴─┘        any ─stop─▶ closed
 *                      └──────time── refused ◀── the server refuses this agent
 *
 * Times are milliseconds of a clock that only goes forward.
 */
export type Link = Common &
  (
    | { readonly state: 'idle' | 'closed' }
    | { readonly state: 'dialling'; readonly until: number }
    | { readonly state: 'greeting'; readonly until: number; readonly dialect: Dialect }
    | {
        readonly state: 'live';
        readonly since: number;
        readonly lastReceivedAt: number;
        readonly pingAt: number;
      }
    | { readonly state: 'waiting' | 'refused'; readonly until: number; readonly why: string }
  );

/** What happens to it. */
export type LinkEvent =
  | { readonly type: 'start' | 'stop' | 'time' }
  | { readonly type: 'opened'; readonly socket: number; readonly dialect: Dialect }
  /** The socket could not be opened. `status`: of the HTTP answer, where there was one. */
  | {
      readonly type: 'failed';
      readonly socket: number;
      readonly why: string;
      readonly status?: number;
      /** The server chose no sub-protocol though some were offered. */
      readonly hasNoProtocol?: boolean;
    }
  | { readonly type: 'closed'; readonly socket: number; readonly code: number; readonly reason: string }
  | { readonly type: 'received'; readonly socket: number; readonly frame?: Frame };

/** The effects of a step. */
export type Effect =
  | { readonly type: 'dial'; readonly socket: number; readonly offersProtocols: boolean }
  | { readonly type: 'init' | 'ping' | 'pong' | 'close'; readonly socket: number }
  | {
      readonly type: 'subscribe';
      readonly socket: number;
      readonly dialect: Dialect;
      readonly offers: Offers;
    }
  | { readonly type: 'act'; readonly action: Action }
  /** For the log: a message that the agent does not understand. */
  | { readonly type: 'ignore'; readonly why: string };

/** Monotonic milliseconds, and a random number in [0, 1). */
interface Moment {
  readonly now: number;
  readonly random: number;
}

interface Step {
  readonly link: Link;
  readonly effects: readonly Effect[];
}

const DIAL_MS = 15_000;
const GREETING_MS = 15_000;
const PING_MS = 15_000;
/** Three pings without any word. */
const SILENCE_MS = 45_000;
/** A server that accepts and drops is not to be hammered: only a connection that lasted so long counts as one. */
const LASTED_MS = 60_000;
const RETRY = { baseMs: 500, maxMs: 30_000, jitter: 'equal' } as const;
/** A person has to change something first: asking every second would be of no use. */
const REFUSED = { baseMs: 30_000, maxMs: 300_000, jitter: 'equal' } as const;

export const IDLE: Link = { state: 'idle', socket: 0, attempt: 0, offersProtocols: true };

/** The link after an event, and the effects. Pure. */
export function step(link: Link, event: LinkEvent, moment: Moment): Step {
  if (link.state === 'closed') return stay(link);
  switch (event.type) {
    case 'start':
      return link.state === 'idle' ? dial(link, moment) : stay(link);
    case 'stop':
      return { link: { ...commonOf(link), state: 'closed' }, effects: closing(link) };
    case 'time':
      return atTime(link, moment);
    case 'opened':
      return isCurrent(link, event.socket, 'dialling') ? opened(link, event.dialect, moment) : stay(link);
    case 'failed':
      return isCurrent(link, event.socket, 'dialling') ? failed(link, event, moment) : stay(link);
    case 'closed':
      return isConnected(link, event.socket) || isCurrent(link, event.socket, 'dialling')
        ? lost(link, meaningOf(event.code, event.reason), moment, false)
        : stay(link);
    case 'received':
      return isConnected(link, event.socket) ? received(link, event.frame, moment) : stay(link);
  }
}

/** When the next `time` is due; undefined where nothing is waited for. Pure. */
export function deadlineOf(link: Link): number | undefined {
  switch (link.state) {
    case 'idle':
    case 'closed':
      return undefined;
    case 'live':
      return Math.min(link.pingAt, link.lastReceivedAt + SILENCE_MS);
    default:
      return link.until;
  }
}

function atTime(link: Link, moment: Moment): Step {
  const deadline = deadlineOf(link);
  if (deadline === undefined || moment.now < deadline) return stay(link);
  switch (link.state) {
    case 'waiting':
    case 'refused':
      return dial(link, moment);
    case 'dialling':
      return lost(link, { meaning: 'retry', why: 'the server did not open the connection in time' }, moment);
    case 'greeting':
      return lost(link, { meaning: 'legacy', why: 'the server did not acknowledge the connection' }, moment);
    case 'live':
      return atLiveTime(link, moment);
    default:
      return stay(link);
  }
}

function atLiveTime(link: Link & { readonly state: 'live' }, moment: Moment): Step {
  if (moment.now >= link.lastReceivedAt + SILENCE_MS) {
    return lost(link, { meaning: 'retry', why: `the server was silent for ${SILENCE_MS} ms` }, moment);
  }
  const next = { ...link, pingAt: moment.now + PING_MS };
  return { link: next, effects: [{ type: 'ping', socket: link.socket }] };
}

function dial(link: Link, { now }: Moment): Step {
  const { attempt, offersProtocols } = link;
  const socket = link.socket + 1;
  return {
    link: { state: 'dialling', socket, attempt: attempt + 1, offersProtocols, until: now + DIAL_MS },
    effects: [{ type: 'dial', socket, offersProtocols }],
  };
}

function opened(link: Link, dialect: Dialect, { now }: Moment): Step {
  return {
    link: { ...commonOf(link), state: 'greeting', until: now + GREETING_MS, dialect },
    effects: [{ type: 'init', socket: link.socket }],
  };
}

function failed(link: Link, event: LinkEvent & { readonly type: 'failed' }, moment: Moment): Step {
  if (event.hasNoProtocol === true) return lost(link, { meaning: 'legacy', why: event.why }, moment, false);
  const verdict =
    event.status === undefined
      ? { meaning: 'retry' as const, why: event.why }
      : meaningOfStatus(event.status);
  return lost(link, verdict, moment, false);
}

function received(link: Link, frame: Frame | undefined, moment: Moment): Step {
  const alive = link.state === 'live' ? { ...link, lastReceivedAt: moment.now } : link;
  switch (frame?.type) {
    case undefined:
    case 'alive':
      return stay(alive);
    case 'ping':
      return { link: alive, effects: [{ type: 'pong', socket: link.socket }] };
    case 'ack':
      return link.state === 'greeting' ? acknowledged(link, frame.offers, moment) : stay(alive);
    case 'action':
      return { link: alive, effects: [{ type: 'act', action: frame.action }] };
    case 'errors':
      return lost(link, meaningOfErrors(frame.messages), moment);
    case 'complete':
      return lost(link, { meaning: 'retry', why: 'the server ended the subscription' }, moment);
    // Ending the connection would lose what comes after it, and the next connection might begin with the same message.
    case 'unreadable':
      return { link: alive, effects: [{ type: 'ignore', why: frame.why }] };
  }
}

function acknowledged(link: Link & { readonly state: 'greeting' }, offers: Offers, { now }: Moment): Step {
  const { socket, dialect } = link;
  return {
    link: { ...commonOf(link), state: 'live', since: now, lastReceivedAt: now, pingAt: now + PING_MS },
    effects: [{ type: 'subscribe', socket, dialect, offers }],
  };
}

/** Version or key do not fit: the texts of ChaosCenter's server. */
const IDENTITY_REFUSED = /VERSION MISMATCH|accessID MISMATCH/i;

function meaningOfErrors(messages: readonly string[]): {
  readonly meaning: CloseMeaning;
  readonly why: string;
} {
  const text = messages.join('; ');
  if (IDENTITY_REFUSED.test(text))
    return { meaning: 'refuse', why: `the server refuses this agent: ${text}` };
  if (text.includes('ALREADY CONNECTED')) {
    const why = `another agent with this INFRA_ID was connected: ${text}; only one may run`;
    return { meaning: 'retry', why };
  }
  return { meaning: 'retry', why: `the server answered with errors: ${text}` };
}

/** The connection is no more, or never was. @param closes whether the socket has to be closed by us */
function lost(
  link: Link,
  { meaning, why }: { readonly meaning: CloseMeaning; readonly why: string },
  { now, random }: Moment,
  closes = true,
): Step {
  const lasted = link.state === 'live' && now - link.since >= LASTED_MS;
  const attempt = lasted ? 1 : Math.max(1, link.attempt);
  const isRefused = meaning === 'refuse';
  const delay = backoffDelayMs(attempt, isRefused ? REFUSED : RETRY, () => random);
  // A server that takes none of the sub-protocols is tried without, and the next time with them: it may have been replaced.
  const offersProtocols = meaning === 'legacy' ? !link.offersProtocols : link.offersProtocols;
  return {
    link: {
      state: isRefused ? 'refused' : 'waiting',
      socket: link.socket,
      attempt,
      offersProtocols,
      until: now + delay,
      why,
    },
    effects: closes ? closing(link) : [],
  };
}

function closing(link: Link): readonly Effect[] {
  const isOpen = link.state === 'dialling' || link.state === 'greeting' || link.state === 'live';
  return isOpen ? [{ type: 'close', socket: link.socket }] : [];
}

function isCurrent(link: Link, socket: number, state: Link['state']): boolean {
  return link.socket === socket && link.state === state;
}

function isConnected(link: Link, socket: number): boolean {
  return isCurrent(link, socket, 'greeting') || isCurrent(link, socket, 'live');
}

function commonOf({ socket, attempt, offersProtocols }: Link): Common {
  return { socket, attempt, offersProtocols };
}

function stay(link: Link): Step {
  return { link, effects: [] };
}
