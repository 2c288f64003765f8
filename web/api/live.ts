import { type Client, createClient } from 'graphql-ws';
import {
  afterEvent,
  type Connection,
  type ConnectionEvent,
  mayPass,
  waitBeforeTry,
} from '../models/live/connection.ts';
import type { Document } from './client.ts';
import { ApiProblem } from './problem.ts';

/** Callbacks of a subscription. */
interface Watcher<Data> {
  onData(data: Data): void;
  onConnection(connection: Connection): void;
  onProblem(problem: ApiProblem): void;
  /** For a stream with an end, such as the log of a pod: called at its end, and no error is tried again. @default subscribes again */
  onEnd?(): void;
}

/** Interval of pings to the server, and time limit for its answer, in milliseconds. */
const [PING_MS, PONG_MS] = [10_000, 5_000];

/** The one connection of the page; opened by the first subscription, closed after the last. */
const client = makeClient();
const listeners = new Set<(event: ConnectionEvent) => void>();

/**
 * Subscribes without end: after a disconnection, and after an error that may pass, it subscribes again, and the server sends everything again,
 * so that nothing is missed. Any other error ends the subscription.
 *
 * @returns unsubscribes
 */
export function watch<Data, Variables extends object>(
  { text }: Document<Data, Variables>,
  variables: Variables,
  { onData, onConnection, onProblem, onEnd }: Watcher<Data>,
): () => void {
  let connection: Connection = { state: 'connecting' };
  const notify = (event: ConnectionEvent): void => {
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
          notify('received');
          const [error] = errors ?? [];
          if (error !== undefined) onProblem(problemOf(error));
          else if (data !== undefined && data !== null) onData(data);
        },
        error: (cause) => {
          const problem = Array.isArray(cause) ? problemOf(cause[0]) : new ApiProblem('away', AWAY);
          onProblem(problem);
          if (onEnd === undefined && mayPass(problem.code)) void again();
        },
        complete: () => {
          if (onEnd === undefined) void again();
          else if (!watched.isOver) onEnd();
        },
      },
    );
  };
  /** A server that shuts down completes its subscriptions before it closes, so this is no end of the stream. */
  const again = async (): Promise<void> => {
    if (watched.isOver) return;
    notify('lost');
    await waitOrBack(waitBeforeTry(watched.tries, Math.random()));
    watched.tries += 1;
    if (!watched.isOver) subscribe();
  };
  listeners.add(notify);
  subscribe();
  return () => {
    watched.isOver = true;
    listeners.delete(notify);
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
  const notifyAll = (event: ConnectionEvent): void => {
    for (const notify of listeners) notify(event);
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
        notifyAll('opened');
      },
      closed: () => {
        clearTimeout(silence);
        notifyAll('lost');
      },
      ping: (received) => {
        if (received) return;
        // A server that does not answer counts as gone, even if the connection is open.
        silence = setTimeout(() => socket?.close(4408, 'no answer'), PONG_MS);
      },
      pong: (received) => {
        if (received) clearTimeout(silence);
      },
    },
  });
}

/** Waits for a time, or until the reader or the network is back. */
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
