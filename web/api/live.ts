import { type Client, createClient } from 'graphql-ws';
import {
  afterEvent,
  type Connection,
  type ConnectionEvent,
  waitBeforeTry,
} from '../models/live/connection.ts';
import type { Document } from './client.ts';
import { ApiProblem } from './problem.ts';

/** What a subscription tells. */
interface Watcher<Data> {
  onData(data: Data): void;
  onConnection(connection: Connection): void;
  onProblem(problem: ApiProblem): void;
  /** Of what has an end of its own, as the log of a pod: told when the server has said all. @default it is subscribed anew */
  onEnd?(): void;
}

/** How often the server is asked whether it is there, and how long it may take to say so, in milliseconds. */
const [PING_MS, PONG_MS] = [10_000, 5_000];

/** The one connection of the page; opened by the first subscription, closed after the last. */
const client = makeClient();
const listeners = new Set<(event: ConnectionEvent) => void>();

/**
 * Subscribes, without end: after a break it subscribes anew, and the server tells all there is again, so that nothing is missed.
 *
 * @returns what ends it
 */
export function watch<Data, Variables extends object>(
  { text }: Document<Data, Variables>,
  variables: Variables,
  { onData, onConnection, onProblem, onEnd }: Watcher<Data>,
): () => void {
  let connection: Connection = { state: 'connecting' };
  const tell = (event: ConnectionEvent): void => {
    const next = afterEvent(connection, event, Date.now());
    if (next === connection) return;
    connection = next;
    onConnection(next);
  };
  const watched = { isOver: false, tries: 0, end: (): void => undefined };
  const subscribe = (): void => {
    watched.end = client.subscribe<Data>(
      { query: text, variables: { ...variables } as Record<string, unknown> },
      {
        next: ({ data, errors }) => {
          watched.tries = 0;
          tell('received');
          const [error] = errors ?? [];
          if (error !== undefined) onProblem(problemOf(error));
          else if (data !== undefined && data !== null) onData(data);
        },
        error: (cause) =>
          onProblem(Array.isArray(cause) ? problemOf(cause[0]) : new ApiProblem('away', AWAY)),
        complete: () => {
          if (onEnd === undefined) void again();
          else if (!watched.isOver) onEnd();
        },
      },
    );
  };
  /** A server that ends completes its subscriptions before it closes: what is watched has no end of its own. */
  const again = async (): Promise<void> => {
    if (watched.isOver) return;
    tell('lost');
    await waitOrBack(waitBeforeTry(watched.tries, Math.random()));
    watched.tries += 1;
    if (!watched.isOver) subscribe();
  };
  listeners.add(tell);
  subscribe();
  return () => {
    watched.isOver = true;
    listeners.delete(tell);
    watched.end();
  };
}

const AWAY = 'the server cannot be reached';

function problemOf({
  message,
  extensions,
}: {
  readonly message: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
}): ApiProblem {
  return new ApiProblem(typeof extensions?.code === 'string' ? extensions.code : 'refused', message);
}

function makeClient(): Client {
  let silence: ReturnType<typeof setTimeout> | undefined;
  let socket: WebSocket | undefined;
  const tellAll = (event: ConnectionEvent): void => {
    for (const tell of listeners) tell(event);
  };
  return createClient({
    url: `${location.origin.replace(/^http/, 'ws')}/query`,
    keepAlive: PING_MS,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
    retryWait: (tries) => waitOrBack(waitBeforeTry(tries, Math.random())),
    on: {
      connected: (opened) => {
        socket = opened as WebSocket;
        tellAll('opened');
      },
      closed: () => {
        clearTimeout(silence);
        tellAll('lost');
      },
      ping: (received) => {
        if (received) return;
        // A server that does not answer is as good as gone, though nobody has closed the connection.
        silence = setTimeout(() => socket?.close(4408, 'no answer'), PONG_MS);
      },
      pong: (received) => {
        if (received) clearTimeout(silence);
      },
    },
  });
}

/** Waits so long, or until the reader or the network is back: then there is no reason to wait any longer. */
function waitOrBack(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const ended = new AbortController();
    const end = (): void => {
      clearTimeout(timer);
      ended.abort();
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end, { signal: ended.signal });
    document.addEventListener(
      'visibilitychange',
      () => {
        if (document.visibilityState === 'visible') end();
      },
      { signal: ended.signal },
    );
  });
}
