import type { IncomingMessage } from 'node:http';
import { LineSplitter } from '@turnsole/kube/client/lines';
import { type Http, responseOf } from './http.ts';
import type { EventType } from './truth.ts';
import type { View, WatchedObject } from './views.ts';

/** Where a session begins. */
export type Start =
  /** After a revision: of a list, of the last event or bookmark, or of any time. */
  | { readonly from: 'revision'; readonly revision: number }
  /** With the present objects, which may be of any revision while the request was under way. */
  | { readonly from: 'present'; readonly text: '' | '0' }
  /** With the present objects and a bookmark after them. */
  | { readonly from: 'streamed-list'; readonly text: string };

export interface ReceivedEvent {
  readonly type: EventType;
  readonly object: WatchedObject;
}

export interface ReceivedBookmark {
  readonly type: 'BOOKMARK';
  readonly revision: number;
  readonly endsInitialEvents: boolean;
}

export interface ReceivedError {
  readonly type: 'ERROR';
  readonly code: number;
  readonly reason: string;
}

export type Received = ReceivedEvent | ReceivedBookmark | ReceivedError;

/** What one watch request brought, taken down for the judge. */
export interface Session {
  readonly view: View;
  readonly start: Start;
  /** The server's revision when the request was sent. */
  readonly earliest: number;
  /** The same when the session was over. */
  latest: number;
  /** Up to where the history was forgotten at both times. */
  readonly compactedBefore: number;
  compactedAfter: number;
  readonly received: Received[];
  status: number;
}

/** How a watcher looks at what it gets, and when it has had enough. */
export interface Reading {
  /** Called after each item: true ends the session by breaking the connection. */
  readonly isEnough: (session: Session) => boolean;
  /** Called after each item: a promise stops reading until it resolves. */
  readonly rest: (session: Session) => Promise<void> | undefined;
  /** Breaks the connection from outside. */
  readonly signal: AbortSignal;
  readonly onOpen: () => void;
}

/** Path and query of a session's request. */
export function urlOf({ path, query }: View, start: Start, timeoutSeconds: number | undefined): string {
  const all = new URLSearchParams({ ...query, watch: '1', allowWatchBookmarks: 'true' });
  if (start.from === 'revision') all.set('resourceVersion', String(start.revision));
  else if (start.text !== '') all.set('resourceVersion', start.text);
  if (start.from === 'streamed-list') {
    all.set('sendInitialEvents', 'true');
    all.set('resourceVersionMatch', 'NotOlderThan');
  }
  if (timeoutSeconds !== undefined) all.set('timeoutSeconds', String(timeoutSeconds));
  return `${path}?${all}`;
}

/** Runs a watch until the reader has enough, the server ends it or the connection breaks. */
export async function runSession(
  http: Http,
  session: Session,
  { url, isSecure }: { readonly url: string; readonly isSecure: boolean },
  reading: Reading,
): Promise<void> {
  const request = http.open(url, isSecure);
  const stop = (): void => void request.destroy();
  if (reading.signal.aborted) stop();
  else reading.signal.addEventListener('abort', stop, { once: true });
  // The server may break connections of readers that are too slow; what came before is judged all the same.
  request.on('error', () => undefined);
  try {
    const response = await responseOf(request);
    session.status = response.statusCode ?? 0;
    reading.onOpen();
    await read(response, session, reading);
  } catch (error) {
    if (!isBroken(error)) throw error;
  } finally {
    reading.signal.removeEventListener('abort', stop);
    request.destroy();
  }
}

function isBroken(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    ['ECONNRESET', 'EPIPE', 'ABORT_ERR'].includes(String(error.code))
  );
}

async function read(response: IncomingMessage, session: Session, reading: Reading): Promise<void> {
  const splitter = new LineSplitter();
  for await (const chunk of response) {
    for (const line of splitter.push(chunk)) {
      session.received.push(parseLine(line));
      // Not reading on lets the socket's buffers fill up: this is a slow reader.
      await reading.rest(session);
      if (reading.isEnough(session)) return;
    }
  }
}

function parseLine(line: string): Received {
  const { type, object } = JSON.parse(line);
  if (type === 'ERROR') return { type, code: object.code, reason: object.reason };
  if (type !== 'BOOKMARK') return { type, object };
  return {
    type,
    revision: Number(object.metadata.resourceVersion),
    endsInitialEvents: object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true',
  };
}
