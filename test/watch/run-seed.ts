import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServer, createApiServer } from '@turnsole/cluster/apiserver/index';
import { checkStore } from '@turnsole/cluster/store/testing/self-check';
import { createClient } from '@turnsole/kube/client/client';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, PODS } from '@turnsole/kube/kinds/resources';
import { Informer } from '@turnsole/kube/runtime/informer';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { startTcpProxy } from '@turnsole/kube/testing/tcp-proxy';
import { Seeded } from '../support/seeded.ts';
import type { Figures } from '../support/seeds.ts';
import { Http } from './http.ts';
import { judge } from './judge.ts';
import { Progress } from './progress.ts';
import { Truth } from './truth.ts';
import { drawView, KINDS, NAMESPACES, type WatchedKind, type WatchedObject, WIDGETS } from './views.ts';
import { ViewWatcher, type Watching } from './watcher.ts';
import { writeOnce } from './writer.ts';

/** A seed that takes longer hangs: something is waited for that does not come. */
const LIMIT_MS = 60_000;
/** A little more than the interval of bookmarks. */
const BOOKMARK_MS = 61_000;
/** Some of these fill the buffers of a connection, and the server has to keep or to forget what is not read. */
const PADDING = 60_000;

/** Plays one seed: writers, watchers and an informer against a server of its own. Throws what is wrong. */
export async function runSeed(seed: number): Promise<Figures> {
  const random = new Seeded(seed);
  const dataDir = await mkdtemp(join(tmpdir(), 'turnsole-watch-'));
  // Real time at the start: certificates are made by this clock and checked by the real one.
  const clock = new FakeClock(Date.now());
  const isLarge = random.chance(0.15);
  const historyLimit = random.pick(isLarge ? [8, 20] : [8, 20, 100, 10_000]);
  const watchBufferBytes = random.pick([1_000, 50_000, 1_000_000]);
  const api = createApiServer({ dataDir, clock, historyLimit, watchBufferBytes, random: random.fork().next });
  try {
    await api.listen();
    return await play(api, dataDir, clock, random, isLarge);
  } finally {
    await api.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function play(
  api: ApiServer,
  dataDir: string,
  clock: FakeClock,
  random: Seeded,
  isLarge: boolean,
): Promise<Figures> {
  const truth = new Truth(
    api,
    KINDS.map(({ table }) => table),
  );
  const http = new Http(api, dataDir);
  // Whoever fails ends the others.
  const failure = new AbortController();
  const limit = failure.signal;
  const late = new Error(`the seed did not end within ${LIMIT_MS} ms`);
  const timer = setTimeout(() => failure.abort(late), LIMIT_MS);
  const progress = new Progress();
  const passTime = (): void => clock.advanceSync(BOOKMARK_MS);
  try {
    await prepare(http, truth);
    const watching = (): Watching => ({
      http,
      truth,
      progress,
      random: random.fork(),
      signal: limit,
      passTime,
      isPatient: isLarge,
    });
    // Large objects are all of one kind, so that its short history ends while somebody rests.
    const onlyKind = isLarge ? random.pick(KINDS) : undefined;
    const kinds = onlyKind === undefined ? KINDS : [onlyKind];
    const watchers = Array.from(
      { length: random.between(2, 6) },
      () => new ViewWatcher(watching(), drawView(random, onlyKind)),
    );
    const running = watchers.map((watcher) => watcher.run());
    const following = followByInformer(api, truth, random.fork(), progress, limit);
    const padding = isLarge ? PADDING : 0;
    const writing = write(api, { http, truth, progress, random, passTime, padding, kinds });
    const parts = [...running, following, writing];
    for (const part of parts) part.catch((error: unknown) => failure.abort(error));
    await Promise.race([Promise.allSettled(parts), once(limit, 'abort')]);
    failure.signal.throwIfAborted();
    const sessions = watchers.flatMap((watcher) => watcher.sessions);
    for (const session of sessions) judge(truth, session);
    assert.deepEqual(checkStore(api.store), []);
    const received = sessions.flatMap((session) => session.received);
    return {
      changes: api.store.revision,
      sessions: sessions.length,
      events: received.filter(({ type }) => type !== 'BOOKMARK' && type !== 'ERROR').length,
      bookmarks: received.filter(({ type }) => type === 'BOOKMARK').length,
      expired: received.filter((item) => item.type === 'ERROR' && item.code === 410).length,
      expiredMidway: sessions.filter(({ received: all }) => all.length > 1 && all.at(-1)?.type === 'ERROR')
        .length,
    };
  } finally {
    clearTimeout(timer);
    http.close();
  }
}

async function prepare(http: Http, truth: Truth): Promise<void> {
  await http.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', WIDGETS);
  await http.call('POST', '/api/v1/namespaces', { metadata: { name: 'other' } });
  for (const namespace of NAMESPACES) {
    await http.call('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, {
      metadata: { name: 'default' },
    });
  }
  assert.ok(truth.revision > 1);
}

interface Writers {
  readonly http: Http;
  readonly truth: Truth;
  readonly progress: Progress;
  readonly random: Seeded;
  readonly passTime: () => void;
  readonly padding: number;
  readonly kinds: readonly WatchedKind[];
}

/** Some writers at a time; now and then time goes by or the history is forgotten. */
async function write(api: ApiServer, writing: Writers): Promise<void> {
  const { http, truth, progress, random, passTime, padding, kinds } = writing;
  const count = random.between(1, 4);
  const writes = padding > 0 ? random.between(200, 300) : random.between(20, 120);
  const writer = async (own: Seeded): Promise<void> => {
    for (let index = 0; index < writes / count; index += 1) {
      await writeOnce({ http, truth, random: own, padding, kinds });
      if (own.chance(0.03)) passTime();
      if (own.chance(0.03)) api.store.compact(own.between(1, api.store.revision));
      progress.count();
    }
  };
  try {
    await Promise.all(Array.from({ length: count }, () => writer(random.fork())));
  } finally {
    progress.finish();
  }
}

/** Our own informer, over connections that break, becomes equal to the truth. */
async function followByInformer(
  api: ApiServer,
  truth: Truth,
  random: Seeded,
  progress: Progress,
  limit: AbortSignal,
): Promise<void> {
  const { socketPath: path, ...config } = api.adminConfig;
  assert.ok(path !== undefined);
  await using proxy = await startTcpProxy({ path });
  const client = createClient({ ...config, server: `http://127.0.0.1:${proxy.port}` });
  const resource = random.pick([CONFIG_MAPS, PODS]);
  const kind = KINDS.find(({ plural }) => plural === resource.plural);
  const view = drawView(random, kind);
  const namespace = /\/namespaces\/([^/]+)\//.exec(view.path)?.[1];
  const { labelSelector, fieldSelector } = view.query;
  const informer = new Informer<KubeObject>({
    client,
    resource,
    namespace,
    labelSelector,
    fieldSelector,
    transform: (object) => object,
    random: () => 0,
  });
  try {
    informer.start();
    await informer.whenSynced(limit);
    while (!progress.isDone) {
      await progress.untilAfter(random.between(1, 30));
      if (random.chance(0.5)) proxy.cut();
    }
    const wanted = versionsOf(truth.stateAt(view, truth.revision));
    await new Promise<void>((resolve, reject) => {
      const check = (): void => {
        if (versionsOf(informer.lister.list()) === wanted) resolve();
      };
      informer.addHandler({ onAdd: check, onUpdate: check, onDelete: check });
      limit.addEventListener('abort', () =>
        reject(
          new Error(`the informer of ${view.path} has ${versionsOf(informer.lister.list())}, not ${wanted}`),
        ),
      );
      check();
    });
  } finally {
    await informer.stop();
    client.close();
  }
}

function versionsOf(
  objects: readonly { readonly metadata: KubeObject['metadata'] | WatchedObject['metadata'] }[],
): string {
  return objects
    .map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name} ${metadata.resourceVersion}`)
    .sort()
    .join(', ');
}
