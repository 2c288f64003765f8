import assert from 'node:assert/strict';
import type { Seeded } from '../support/seeded.ts';
import type { Http } from './http.ts';
import type { Truth } from './truth.ts';
import { NAMES, NAMESPACES, PHASES, type WatchedKind, type WatchedObject } from './views.ts';

const MERGE = 'application/merge-patch+json';
/** What a write may meet when others write the same objects. */
const EXPECTED = new Set([200, 201, 404, 409]);

/** A writer's surroundings. */
export interface Writing {
  readonly http: Http;
  readonly truth: Truth;
  readonly random: Seeded;
  /** Characters that are added to every object, so that what is not read fills the buffers of a connection. */
  readonly padding: number;
  readonly kinds: readonly WatchedKind[];
}

/** One random write. Checks that what is acknowledged was committed. */
export async function writeOnce(writing: Writing): Promise<void> {
  const { random } = writing;
  const kind = random.pick(writing.kinds);
  const name = random.pick(NAMES);
  const where = kind.isNamespaced ? `/namespaces/${random.pick(NAMESPACES)}` : '';
  const collection = `${random.pick(kind.roots)}${where}/${kind.plural}`;
  const draw = random.next();
  if (draw < 0.4) await create(writing, kind, collection, name);
  else if (draw < 0.6) await relabel(writing, kind, `${collection}/${name}`);
  else if (draw < 0.75) await replace(writing, kind, `${collection}/${name}`);
  else if (draw < 0.82 && kind.table === 'pods') await setPhase(writing, kind, `${collection}/${name}`);
  else if (draw < 0.97) await remove(writing, kind, `${collection}/${name}`);
  else await removeAll(writing, collection);
}

function drawMetadata({ random, padding }: Pick<Writing, 'random' | 'padding'>): object {
  return {
    labels: {
      ...(random.chance(0.8) ? { app: random.pick(['x', 'y', 'z']) } : {}),
      ...(random.chance(0.3) ? { tier: 'front' } : {}),
    },
    ...(padding > 0 ? { annotations: { padding: 'x'.repeat(padding) } } : {}),
    ...(random.chance(0.1) ? { finalizers: ['test.example/hold'] } : {}),
  };
}

async function create(writing: Writing, kind: WatchedKind, path: string, name: string): Promise<void> {
  const { http, truth, random } = writing;
  const apiVersion = /^\/apis?\/((?:[^/]+\/)?v\w+)/.exec(path)?.[1];
  const metadata = { name, ...drawMetadata(writing) };
  const body = { apiVersion, kind: kind.kind, metadata, ...kind.body(random) };
  const { status, body: answered } = await http.call<WatchedObject>('POST', path, body);
  check(status, 'POST', path, answered);
  if (status === 201) truth.checkAnswer(kind.table, answered);
}

async function relabel(writing: Writing, kind: WatchedKind, path: string): Promise<void> {
  const { random } = writing;
  const labels = { app: random.pick(['x', 'y', null]), tier: random.pick(['front', null]) };
  const turn = String(random.between(1, 5));
  const patch = {
    metadata: { labels, annotations: { turn }, ...(random.chance(0.5) ? { finalizers: null } : {}) },
  };
  await send(writing, kind, 'PATCH', path, patch);
}

async function setPhase(writing: Writing, kind: WatchedKind, path: string): Promise<void> {
  await send(writing, kind, 'PATCH', `${path}/status`, { status: { phase: writing.random.pick(PHASES) } });
}

/** Read, change, write: what controllers do. */
async function replace(writing: Writing, kind: WatchedKind, path: string): Promise<void> {
  const { http } = writing;
  const read = await http.call<WatchedObject>('GET', path);
  if (read.status !== 200) return;
  const { metadata } = read.body;
  const { labels } = drawMetadata(writing) as { labels: object };
  await send(writing, kind, 'PUT', path, { ...read.body, metadata: { ...metadata, labels } });
}

async function send(
  { http, truth }: Writing,
  kind: WatchedKind,
  method: string,
  path: string,
  body: unknown,
): Promise<void> {
  const type = method === 'PATCH' ? MERGE : 'application/json';
  const { status, body: answered } = await http.call<WatchedObject>(method, path, body, type);
  check(status, method, path, answered);
  if (status === 200) truth.checkAnswer(kind.table, answered);
}

async function remove({ http, random }: Writing, kind: WatchedKind, path: string): Promise<void> {
  const grace = kind.table === 'pods' && random.chance(0.7) ? '?gracePeriodSeconds=0' : '';
  const { status, body } = await http.call('DELETE', `${path}${grace}`);
  check(status, 'DELETE', path, body);
}

async function removeAll({ http, random }: Writing, path: string): Promise<void> {
  const query = random.chance(0.7) ? '?labelSelector=app%3Dx' : '';
  const { status, body } = await http.call('DELETE', `${path}${query}`);
  check(status, 'DELETE', path, body);
}

function check(status: number, method: string, path: string, body: unknown): void {
  assert.ok(EXPECTED.has(status), `${method} ${path}: ${status} ${JSON.stringify(body).slice(0, 500)}`);
}
