import { createClient } from '@turnsole/kube/client/index';
import { NAMESPACES, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { Connection } from './connection.ts';
import { ask, type LoadFigures, runLoad } from './load.ts';
import { CONFIG_MAP, POD, type Subject } from './objects.ts';
import type { Target } from './target.ts';
import { measureWatchDelay, type WatchDelay } from './watch.ts';

/** The place of a measurement: connections, and namespaces that are filled and emptied. */
export interface Bench {
  readonly target: Target;
  readonly clients: readonly Connection[];
  /** Path of a collection in the namespace of changing objects. */
  readonly collection: (subject: Subject) => string;
  /** Path of the config maps that are listed. */
  readonly listed: string;
  close(): Promise<void>;
}

/** What one round measured: by title of the load, and the watch delays under light and full load. */
export interface Round {
  readonly loads: Readonly<Record<string, LoadFigures>>;
  readonly lightDelay: WatchDelay;
  readonly fullDelay: WatchDelay;
}

const LISTED_OBJECTS = 500;
const READY_MS = 30_000;
/** Writes of one client per second under light load: 50. */
const LIGHT_PAUSE_MS = 20;

/** Makes the namespaces, fills the listed one, and connects the clients. */
export async function openBench(target: Target, clients: number): Promise<Bench> {
  const name = `bench-${Date.now().toString(36)}`;
  const client = createClient(target.config);
  const namespaces = [name, `${name}-listed`];
  for (const namespace of namespaces) {
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    // Pods are refused until it is there.
    await waitForObject(client, SERVICE_ACCOUNTS, 'default', (account) => account !== undefined, {
      namespace,
      timeoutMs: READY_MS,
    });
  }
  const connections = await Promise.all(
    Array.from({ length: clients }, () => Connection.open(target.config)),
  );
  const listed = `/api/v1/namespaces/${name}-listed/configmaps`;
  let count = 0;
  await runLoad(connections, READY_MS, (connection) => {
    count += 1;
    if (count > LISTED_OBJECTS) return false;
    return ask(connection, 'POST', listed, CONFIG_MAP.body(`listed-${count}`, 0));
  });
  return {
    target,
    clients: connections,
    collection: ({ plural }) => `/api/v1/namespaces/${name}/${plural}`,
    listed,
    close: async () => {
      for (const connection of connections) connection.close();
      for (const namespace of namespaces) await client.delete(NAMESPACES, namespace);
      client.close();
    },
  };
}

/** One round: every kind of request for `durationMs`, then the watch delays. Leaves no objects. */
export async function measureRound(bench: Bench, durationMs: number, round: number): Promise<Round> {
  const loads: Record<string, LoadFigures> = {};
  for (const subject of [CONFIG_MAP, POD]) {
    Object.assign(loads, await measureVerbs(bench, subject, durationMs, `r${round}`));
  }
  loads[`list ${LISTED_OBJECTS} config maps`] = await measureList(bench, durationMs, '');
  loads[`list ${LISTED_OBJECTS} config maps, any version`] = await measureList(
    bench,
    durationMs,
    '?resourceVersion=0',
  );
  const delay = async (kind: string, clients: number, pauseMs: number): Promise<WatchDelay> => {
    const collection = bench.collection(CONFIG_MAP);
    const measured = await measureWatchDelay(bench.target.config, {
      connections: bench.clients.slice(0, clients),
      collection,
      subject: CONFIG_MAP,
      durationMs,
      pauseMs,
      prefix: `${kind}-${round}`,
    });
    await removeAll(bench, collection);
    return measured;
  };
  const lightDelay = await delay('light', 1, LIGHT_PAUSE_MS);
  const fullDelay = await delay('full', bench.clients.length, 0);
  return { loads, lightDelay, fullDelay };
}

async function measureVerbs(
  bench: Bench,
  subject: Subject,
  durationMs: number,
  prefix: string,
): Promise<Record<string, LoadFigures>> {
  const { clients } = bench;
  const collection = bench.collection(subject);
  let created = 0;
  const createFigures = await runLoad(clients, durationMs, (connection) => {
    created += 1;
    return ask(connection, 'POST', collection, subject.body(`${prefix}-${created}`, 0));
  });
  const anyName = (): string => `${prefix}-${1 + Math.floor(Math.random() * created)}`;
  const getFigures = await runLoad(clients, durationMs, (connection) =>
    ask(connection, 'GET', `${collection}/${anyName()}`),
  );
  let updated = 0;
  const updateFigures = await runLoad(clients, durationMs, (connection) => {
    updated += 1;
    // In turn, so that no two clients write the same object at a time.
    const name = `${prefix}-${1 + (updated % created)}`;
    return ask(connection, 'PUT', `${collection}/${name}`, subject.body(name, updated));
  });
  let deleted = 0;
  const deleteFigures = await runLoad(clients, Number.POSITIVE_INFINITY, (connection) => {
    deleted += 1;
    if (deleted > created) return false;
    return ask(connection, 'DELETE', `${collection}/${prefix}-${deleted}`);
  });
  return {
    [`create ${subject.title}`]: createFigures,
    [`get ${subject.title}`]: getFigures,
    [`update ${subject.title}`]: updateFigures,
    [`delete ${subject.title}`]: deleteFigures,
  };
}

async function measureList(bench: Bench, durationMs: number, query: string): Promise<LoadFigures> {
  const path = bench.listed + query;
  const [first] = bench.clients;
  if (first === undefined) throw new Error('a list needs a client');
  const answer = JSON.parse((await ask(first, 'GET', path)).body.toString('utf8')) as { items: unknown[] };
  // kube-root-ca.crt is listed as well.
  if (answer.items.length < LISTED_OBJECTS) throw new Error(`${path}: ${answer.items.length} objects`);
  return runLoad(bench.clients, durationMs, (connection) => ask(connection, 'GET', path));
}

async function removeAll({ clients }: Bench, collection: string): Promise<void> {
  const [first] = clients;
  if (first !== undefined) await ask(first, 'DELETE', collection);
}
