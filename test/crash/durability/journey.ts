/**
 * The life of one folder over many crashes: writers work on a server, it is killed, the next one is asked what is left.
 *
 * Every key has one writer, which knows the last write that was acknowledged to it and the one it was about. So after a
 * crash each key must be in one of two states, and what a watch sees before and after must be every change once.
 */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Store } from '@turnsole/cluster/store/index';
import { DataFolderError } from '@turnsole/cluster/store/journal/errors';
import { SqliteJournal } from '@turnsole/cluster/store/journal/sqlite-journal';
import { checkStore } from '@turnsole/cluster/store/testing/self-check';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { OldWatches } from './old-watches.ts';
import { type Fields, ServerProcess, type ServerSettings } from './process.ts';
import { Choices } from './random.ts';

const WRITERS = 6;
const NAMES_PER_WRITER = 3;

/** What was found over all seeds. */
export interface Figures {
  kills: number;
  startKills: number;
  acknowledged: number;
  /** Writes in flight at a kill that were there afterwards, and that were not. */
  inFlightKept: number;
  inFlightLost: number;
  resumedEvents: number;
  gone: number;
  /** Watches from far back that were served, and that got 410. */
  oldResumed: number;
  oldExpired: number;
  tornTails: number;
  damages: number;
  refused: number;
}

export function noFigures(): Figures {
  return {
    kills: 0,
    startKills: 0,
    acknowledged: 0,
    inFlightKept: 0,
    inFlightLost: 0,
    resumedEvents: 0,
    gone: 0,
    oldResumed: 0,
    oldExpired: 0,
    tornTails: 0,
    damages: 0,
    refused: 0,
  };
}

/** A state of a key: what it holds, or nothing. */
type Value = string | undefined;

interface Key {
  readonly kind: Kind;
  readonly name: string;
  acknowledged: Value;
  /** The write that was sent and not answered. */
  inFlight?: { readonly value: Value };
}

interface Kind {
  readonly path: string;
  readonly table: string;
  readonly body: (value: string) => Fields;
  readonly valueOf: (object: Fields) => string;
}

const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Both fields are written by every write: one without the other is a write that was half done. */
function bothOf(object: Fields, field: string): string {
  const { first, second } = fields(object[field]);
  assert.equal(String(first).split('#')[0], String(second), 'a write was half done');
  return String(first).split('#')[0] ?? '';
}

const KINDS: readonly [Kind, ...Kind[]] = [
  {
    path: '/api/v1/namespaces/default/configmaps',
    table: 'configmaps',
    body: (value) => ({ data: { first: `${value}#${'x'.repeat(value.length * 40)}`, second: value } }),
    valueOf: (object) => bothOf(object, 'data'),
  },
  {
    path: '/apis/crash.test/v1/namespaces/default/things',
    table: 'things.crash.test',
    body: (value) => ({
      apiVersion: 'crash.test/v1',
      kind: 'Thing',
      spec: { first: value, second: value },
    }),
    valueOf: (object) => bothOf(object, 'spec'),
  },
];

function definition(plural: string): Fields {
  const kind = plural.charAt(0).toUpperCase() + plural.slice(1, -1);
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.crash.test` },
    spec: {
      group: 'crash.test',
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

/** What a watch of one kind has seen so far. */
interface Seen {
  /** Last revision seen. */
  revision: number;
  /** The state that its events lead to, from where it began. */
  state: Map<string, string>;
  readonly revisions: Set<number>;
  waiting?: {
    readonly revision: number;
    readonly resolve: () => void;
    readonly reject: (error: Error) => void;
  };
  isGone: boolean;
}

/** One folder, from its first server to its last. Steps are called one after the other. */
export class Journey {
  readonly figures: Figures;
  readonly #root: string;
  readonly #settings: ServerSettings;
  readonly #keys: Key[] = [];
  readonly #seen = new Map<Kind, Seen>();
  readonly #old = new OldWatches();
  /** Every revision that was acknowledged, by kind, since the watch of the kind began. */
  readonly #acknowledged = new Map<Kind, Set<number>>();
  readonly #definitions = new Set<string>();
  #highest = 0;
  #server: ServerProcess | undefined;
  #count = 0;

  constructor(program: string, choices: Choices, figures: Figures) {
    this.figures = figures;
    this.#root = mkdtempSync(join(tmpdir(), 'turnsole-crash-'));
    const runDir = join(this.#root, 'run');
    mkdirSync(runDir);
    this.#settings = {
      program,
      directory: join(this.#root, 'data'),
      runDir,
      historyLimit: choices.one([5000, 5000, 60, 8]),
      checkpointBytes: choices.one([40_000, 150_000, 1_000_000]),
    };
    for (const kind of KINDS) {
      for (let name = 0; name < WRITERS * NAMES_PER_WRITER; name += 1) {
        this.#keys.push({ kind, name: `n${name}`, acknowledged: undefined });
      }
    }
  }

  /** Starts a server, checks what the one before left, writes, and kills it. */
  async step(choices: Choices): Promise<void> {
    if (choices.chance(0.1)) await this.#killDuringStart(choices);
    const server = new ServerProcess(this.#settings);
    this.#server = server;
    await server.ready();
    await this.#check(server);
    await this.#write(server, choices);
    this.figures.kills += 1;
    if (choices.chance(0.25)) this.#tearTail(choices);
    if (choices.chance(0.15)) this.#damageCopy(choices);
  }

  /** Ends the last server and removes the folder. */
  async close(): Promise<void> {
    await this.#server?.kill();
    rmSync(this.#root, { recursive: true, force: true });
  }

  async #killDuringStart(choices: Choices): Promise<void> {
    const server = new ServerProcess(this.#settings);
    const ready = server.ready().catch(() => {});
    await Promise.race([ready, delay(choices.between(30, 250))]);
    await server.kill();
    this.figures.startKills += 1;
  }

  /** Everything that was acknowledged is there, and the watch goes on where it was. */
  async #check(server: ServerProcess): Promise<void> {
    if (this.#definitions.size === 0) await this.#define(server, 'things');
    for (const name of this.#definitions) {
      const found = await server.call('GET', `${CRD}/${name}.crash.test`);
      assert.equal(found?.status, 200, `definition ${name} is gone`);
    }
    for (const kind of KINDS) await this.#checkKind(server, kind);
  }

  async #checkKind(server: ServerProcess, kind: Kind): Promise<void> {
    const list = await server.call('GET', kind.path);
    assert.equal(list?.status, 200, JSON.stringify(list?.body));
    const revision = Number(fields(list.body.metadata).resourceVersion);
    assert.ok(
      revision >= this.#highest,
      `revision ${revision} is before ${this.#highest}, which was acknowledged`,
    );
    const { items } = list.body;
    const present = new Map<string, string>();
    for (const item of Array.isArray(items) ? items.map(fields) : []) {
      const name = String(fields(item.metadata).name);
      if (name !== 'kube-root-ca.crt') present.set(name, kind.valueOf(item));
    }
    for (const key of this.#keys) if (key.kind === kind) this.#checkKey(key, present.get(key.name));
    await this.#resume(server, kind, revision, present);
    const marker = await this.#mark(server, kind);
    for (const outcome of await this.#old.check(server, kind, marker, this.#settings.historyLimit)) {
      if (outcome === 'expired') this.figures.oldExpired += 1;
      else this.figures.oldResumed += 1;
    }
    this.#old.noteList(kind, revision);
  }

  #checkKey(key: Key, found: Value): void {
    const { inFlight } = key;
    if (inFlight !== undefined && inFlight.value === found && found !== key.acknowledged)
      this.figures.inFlightKept += 1;
    else {
      assert.equal(found, key.acknowledged, `${key.kind.table} ${key.name}: an acknowledged write is lost`);
      if (inFlight !== undefined) this.figures.inFlightLost += 1;
    }
    key.acknowledged = found;
    delete key.inFlight;
  }

  /** Resumes the watch at the last revision it saw: what is missing comes, and leads to what is there. */
  async #resume(
    server: ServerProcess,
    kind: Kind,
    listed: number,
    present: Map<string, string>,
  ): Promise<void> {
    const before = this.#seen.get(kind);
    const seen: Seen = before ?? {
      revision: listed,
      state: new Map(present),
      revisions: new Set(),
      isGone: false,
    };
    this.#seen.set(kind, seen);
    const known = seen.revisions.size;
    await this.#follow(server, kind, seen);
    if (seen.isGone) {
      this.figures.gone += 1;
      assert.ok(this.#settings.historyLimit < 5000, `${kind.table}: 410 although everything is kept`);
      this.#seen.set(kind, {
        revision: listed,
        state: new Map(present),
        revisions: new Set(),
        isGone: false,
      });
      this.#acknowledged.delete(kind);
      const fresh = this.#seen.get(kind);
      if (fresh !== undefined) await this.#follow(server, kind, fresh);
    } else this.figures.resumedEvents += seen.revisions.size - known - 1;
    const { state, revisions } = this.#seen.get(kind) ?? seen;
    const led = new Map(state);
    led.delete('marker');
    present.delete('marker');
    assert.deepEqual(led, present, `${kind.table}: the events do not lead to what is there`);
    for (const revision of this.#acknowledged.get(kind) ?? []) {
      assert.ok(
        revisions.has(revision),
        `${kind.table}: the watch missed the acknowledged change ${revision}`,
      );
    }
  }

  /** Starts the watch and waits until a marker that is written now has come through it. */
  async #follow(server: ServerProcess, kind: Kind, seen: Seen): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(
      () => reject(new Error(`${kind.table}: the watch does not come to the present`)),
      PATIENCE_MS,
    );
    const marker = await this.#mark(server, kind);
    seen.waiting = { revision: marker, resolve, reject };
    server.watch(`${kind.path}?watch=1&resourceVersion=${seen.revision}`, (line) =>
      this.#onEvent(kind, seen, line),
    );
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  async #mark(server: ServerProcess, kind: Kind): Promise<number> {
    const path = `${kind.path}/marker`;
    this.#count += 1;
    const body = kind.body(`m${this.#count}`);
    const patched = await server.call('PATCH', path, body, 'application/merge-patch+json');
    const written =
      patched?.status === 404 ? await server.call('POST', kind.path, named('marker', body)) : patched;
    assert.ok(written !== undefined && written.status < 300, JSON.stringify(written?.body));
    return Number(fields(written.body.metadata).resourceVersion);
  }

  #onEvent(kind: Kind, seen: Seen, { type, object }: Fields): void {
    const { waiting } = seen;
    try {
      if (type === 'ERROR') {
        assert.equal(fields(object).code, 410, JSON.stringify(object));
        seen.isGone = true;
        waiting?.resolve();
        return;
      }
      const { name, resourceVersion } = fields(fields(object).metadata);
      const revision = Number(resourceVersion);
      assert.ok(revision > seen.revision, `${kind.table}: event ${revision} comes after ${seen.revision}`);
      seen.revision = revision;
      seen.revisions.add(revision);
      if (name === 'kube-root-ca.crt') return;
      if (type === 'DELETED')
        assert.ok(seen.state.delete(String(name)), `${kind.table}: ${name} goes and was not there`);
      else {
        assert.equal(seen.state.has(String(name)), type === 'MODIFIED', `${kind.table}: ${name} is ${type}`);
        seen.state.set(String(name), kind.valueOf(fields(object)));
      }
      if (waiting !== undefined && revision >= waiting.revision) waiting.resolve();
    } catch (error) {
      waiting?.reject(error instanceof Error ? error : new Error(String(error)));
      this.#problem ??= error;
    }
  }

  #problem: unknown;

  async #define(server: ServerProcess, plural: string): Promise<void> {
    const made = await server.call('POST', CRD, definition(plural));
    if (made !== undefined && (made.status === 201 || made.status === 409)) this.#definitions.add(plural);
  }

  /** All writers at once, until so many writes are acknowledged; then the kill, a random moment later. */
  async #write(server: ServerProcess, choices: Choices): Promise<void> {
    const enough = choices.between(1, 120);
    const pauseMs = choices.one([0, 0, 0.5, 2]);
    let acknowledged = 0;
    let killing: Promise<void> | undefined;
    const onAcknowledged = (): void => {
      acknowledged += 1;
      if (acknowledged < enough || killing !== undefined) return;
      killing = pauseMs === 0 ? server.kill() : delay(pauseMs).then(() => server.kill());
    };
    const isOver = (): boolean => killing !== undefined && pauseMs === 0;
    const writers = Array.from({ length: WRITERS }, (_, index) => {
      const own = this.#keys.filter((_key, at) => at % WRITERS === index);
      return this.#writer(server, own, new Choices(choices.between(0, 2 ** 30)), onAcknowledged, isOver);
    });
    if (choices.chance(0.2)) writers.push(this.#define(server, `extra${choices.between(0, 3)}s`));
    await Promise.all(writers);
    await killing;
    this.figures.acknowledged += acknowledged;
    if (this.#problem !== undefined) throw this.#problem;
  }

  async #writer(
    server: ServerProcess,
    keys: readonly Key[],
    choices: Choices,
    onAcknowledged: () => void,
    isOver: () => boolean,
  ): Promise<void> {
    const [first, ...others] = keys;
    if (first === undefined) return;
    while (!isOver()) {
      const key = choices.one([first, ...others]);
      const answer = await this.#writeOnce(server, key, choices);
      if (answer === undefined) return;
      onAcknowledged();
    }
  }

  /** One write to one key. Gives undefined when the server was gone before it answered. */
  async #writeOnce(server: ServerProcess, key: Key, choices: Choices): Promise<true | undefined> {
    const { kind, name } = key;
    this.#count += 1;
    const value =
      key.acknowledged !== undefined && choices.chance(0.25)
        ? undefined
        : `v${this.#count}${'y'.repeat(choices.between(0, 60))}`;
    key.inFlight = { value };
    const path = `${kind.path}/${name}`;
    const body = value === undefined ? undefined : kind.body(value);
    const isNew = key.acknowledged === undefined;
    const answer = isNew
      ? await server.call('POST', kind.path, named(name, body))
      : value === undefined
        ? await server.call('DELETE', path)
        : await server.call('PATCH', path, body, 'application/merge-patch+json');
    if (answer === undefined) return undefined;
    assert.ok(answer.status === 200 || answer.status === 201, `${name}: ${JSON.stringify(answer.body)}`);
    delete key.inFlight;
    key.acknowledged = value;
    const revision = Number(fields(answer.body.metadata).resourceVersion);
    if (value !== undefined) this.#noteRevision(kind, revision);
    return true;
  }

  #noteRevision(kind: Kind, revision: number): void {
    this.#highest = Math.max(this.#highest, revision);
    const revisions = this.#acknowledged.get(kind) ?? new Set();
    assert.ok(!revisions.has(revision), `revision ${revision} was given out twice`);
    this.#acknowledged.set(kind, revisions.add(revision));
    this.#old.noteWrite(kind, revision);
  }

  /** What a power failure may leave behind the last sync: half of a transaction, or old bytes. */
  #tearTail(choices: Choices): void {
    const log = join(this.#settings.directory, 'turnsole.db-wal');
    const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    if (size < 5000) return;
    const bytes = readFileSync(log);
    const tail = choices.chance(0.5)
      ? Buffer.from(Array.from({ length: choices.between(1, 9000) }, () => choices.between(0, 255)))
      : bytes.subarray(Math.max(32, size - choices.between(10, 8000)));
    appendFileSync(log, tail);
    this.figures.tornTails += 1;
  }

  /** A damaged copy is refused with a message, or what it holds is sound: never silently something else. */
  #damageCopy(choices: Choices): void {
    const copy = join(this.#root, 'copy');
    rmSync(copy, { recursive: true, force: true });
    cpSync(this.#settings.directory, copy, { recursive: true });
    const file = join(copy, choices.one(['turnsole.db', 'turnsole.db', 'turnsole.db-wal']));
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0) return;
    this.figures.damages += 1;
    if (choices.chance(0.3)) truncateSync(file, choices.between(0, size - 1));
    else {
      const bytes = readFileSync(file);
      const from = choices.chance(0.5) ? choices.between(0, 99) : choices.between(0, size - 1);
      for (let at = from; at < Math.min(size, from + choices.between(1, 64)); at += 1)
        bytes[at] = choices.between(0, 255);
      writeFileSync(file, bytes);
    }
    try {
      const journal = new SqliteJournal({ directory: copy });
      const store = new Store({ journal });
      assert.deepEqual(checkStore(store), []);
      assert.ok(store.count('namespaces') > 0, 'a damaged folder became an empty cluster');
      for (const kind of KINDS)
        for (const version of store.values(kind.table)) {
          if (version.name !== 'kube-root-ca.crt') kind.valueOf(fields(version.object));
        }
      void journal.close();
    } catch (error) {
      if (!(error instanceof DataFolderError)) throw error;
      assert.match(error.message, /cannot (use|keep a cluster in) .*(restore|choose)/);
      this.figures.refused += 1;
    }
  }
}

function named(name: string, body: Fields | undefined): Fields {
  return { metadata: { name }, ...body };
}
