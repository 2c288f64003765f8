import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterConfig } from '@turnsole/kube/client/types';
import { type Summary, summarize } from '../report.ts';
import { Connection } from './connection.ts';
import { ask } from './load.ts';
import type { Subject } from './objects.ts';

/** Cuts a watch stream into the texts of its events. */
export function splitEvents(onEvent: (line: string) => void): (bytes: Buffer) => void {
  let rest = '';
  return (bytes) => {
    const lines = (rest + bytes.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onEvent(line);
  };
}

/** How long after a write was answered its event arrived, in milliseconds; below 0 when the event came first. */
export interface WatchDelay {
  readonly afterAnswer: Summary;
  /** From sending the write to the event. */
  readonly afterRequest: Summary;
}

const EVENT_NAME = /"name":"([^"]+)"/;
/** Long enough for every event under way; ends as soon as all are there. */
const STRAGGLERS_MS = 5_000;

/**
 * Creates objects over the given connections and notes when each write was answered and when a watcher in this process
 * got its event. `pauseMs` between the writes of one connection makes the load light.
 */
export async function measureWatchDelay(
  config: ClusterConfig,
  options: {
    readonly connections: readonly Connection[];
    readonly collection: string;
    readonly subject: Subject;
    readonly durationMs: number;
    readonly pauseMs: number;
    readonly prefix: string;
  },
): Promise<WatchDelay> {
  const { connections, collection, subject, durationMs, pauseMs, prefix } = options;
  const watcher = await Connection.open(config);
  const { metadata } = JSON.parse(
    (await ask(watcher, 'GET', `${collection}?limit=1`)).body.toString('utf8'),
  ) as { metadata: { resourceVersion: string } };
  const eventAt = new Map<string, number>();
  const stream = splitEvents((line) => {
    const name = EVENT_NAME.exec(line)?.[1];
    if (name !== undefined) eventAt.set(name, performance.now());
  });
  await watcher.stream(`${collection}?watch=1&resourceVersion=${metadata.resourceVersion}`, stream);
  const written: { name: string; sentAt: number; answeredAt: number }[] = [];
  const endsAt = performance.now() + durationMs;
  let count = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < endsAt) {
        count += 1;
        const name = `${prefix}-${count}`;
        const body = subject.body(name, 0);
        const sentAt = performance.now();
        await ask(connection, 'POST', collection, body);
        written.push({ name, sentAt, answeredAt: performance.now() });
        if (pauseMs > 0) await sleep(pauseMs);
      }
    }),
  );
  const deadline = performance.now() + STRAGGLERS_MS;
  while (eventAt.size < written.length && performance.now() < deadline) await sleep(5);
  watcher.close();
  if (eventAt.size < written.length)
    throw new Error(`${written.length - eventAt.size} of ${written.length} events did not arrive`);
  const since = (from: 'sentAt' | 'answeredAt'): Summary =>
    summarize(written.map((write) => (eventAt.get(write.name) ?? Number.NaN) - write[from]));
  return { afterAnswer: since('answeredAt'), afterRequest: since('sentAt') };
}

/** What one burst of writes meant to many watchers. */
export interface FanOut {
  readonly watchers: number;
  readonly eventsPerSecond: number;
}

/** Ends an event; inside of JSON it is always escaped. */
const LINE_END = 0x0a;

/** Opens many watches, each on a connection of its own, creates objects, and counts what arrives. */
export async function measureFanOut(
  config: ClusterConfig,
  options: {
    readonly writers: readonly Connection[];
    readonly collection: string;
    readonly subject: Subject;
    readonly watchers: number;
    readonly writes: number;
    readonly prefix: string;
  },
): Promise<FanOut> {
  const { writers, collection, subject, watchers, writes, prefix } = options;
  const [first] = writers;
  if (first === undefined) throw new Error('fan-out needs a writer');
  const { metadata } = JSON.parse(
    (await ask(first, 'GET', `${collection}?limit=1`)).body.toString('utf8'),
  ) as { metadata: { resourceVersion: string } };
  let arrived = 0;
  const expected = watchers * writes;
  const { promise: complete, resolve } = Promise.withResolvers<void>();
  const open: Connection[] = [];
  const openOne = async (): Promise<void> => {
    const connection = await Connection.open(config);
    open.push(connection);
    await connection.stream(
      `${collection}?watch=1&resourceVersion=${metadata.resourceVersion}`,
      (bytes: Buffer) => {
        for (let at = bytes.indexOf(LINE_END); at !== -1; at = bytes.indexOf(LINE_END, at + 1)) arrived += 1;
        if (arrived >= expected) resolve();
      },
    );
  };
  // Handshakes are expensive: not all of them at once.
  const opener = async (): Promise<void> => {
    while (opened < watchers) {
      opened += 1;
      await openOne();
    }
  };
  let opened = 0;
  await Promise.all(Array.from({ length: 16 }, opener));
  const startedAt = performance.now();
  let written = 0;
  const write = async (connection: Connection): Promise<void> => {
    while (written < writes) {
      written += 1;
      const name = `${prefix}-${written}`;
      await ask(connection, 'POST', collection, subject.body(name, 0));
    }
  };
  await Promise.all(writers.map(write));
  await complete;
  const seconds = (performance.now() - startedAt) / 1000;
  for (const connection of open) connection.close();
  return { watchers, eventsPerSecond: expected / seconds };
}
