import assert from 'node:assert/strict';
import type { Seeded } from '../support/seeded.ts';
import type { Http } from './http.ts';
import type { Progress } from './progress.ts';
import { type Reading, runSession, type Session, type Start, urlOf } from './session.ts';
import type { Truth } from './truth.ts';
import { assertSame } from './truth.ts';
import type { View, WatchedObject } from './views.ts';

/** A watcher's surroundings. */
export interface Watching {
  readonly http: Http;
  readonly truth: Truth;
  readonly progress: Progress;
  readonly random: Seeded;
  readonly signal: AbortSignal;
  /** Lets enough time go by for a bookmark. */
  readonly passTime: () => void;
  /** Whether readers stay for long, and rest for long. */
  readonly isPatient: boolean;
}

/**
 * Watches a view until the writers are done: session after session, cut at random, begun at random revisions. The last
 * one resumes where it can and stays until a bookmark says that everything was told.
 */
export class ViewWatcher {
  readonly sessions: Session[] = [];
  readonly #watching: Watching;
  readonly #view: View;
  readonly #isSecure: boolean;
  /** Where to resume; undefined when the watcher has to begin anew. */
  #position: number | undefined;

  constructor(watching: Watching, view: View) {
    this.#watching = watching;
    this.#view = view;
    this.#isSecure = watching.random.chance(0.15);
  }

  async run(): Promise<void> {
    const { progress } = this.#watching;
    while (!progress.isDone) await this.#visit(await this.#drawStart(), this.#drawReading());
    while (!this.#isComplete) {
      const start: Start =
        this.#position === undefined
          ? { from: 'revision', revision: await this.#list() }
          : { from: 'revision', revision: this.#position };
      await this.#visit(start, this.#lastReading());
    }
  }

  /** Whether the last session heard a bookmark at the last revision. */
  get #isComplete(): boolean {
    const last = this.sessions.at(-1)?.received.at(-1);
    return last?.type === 'BOOKMARK' && last.revision >= this.#watching.truth.revision;
  }

  async #drawStart(): Promise<Start> {
    const { random, truth } = this.#watching;
    const draw = random.next();
    if (this.#position !== undefined && draw < 0.6) return { from: 'revision', revision: this.#position };
    if (draw < 0.7) return { from: 'revision', revision: random.between(1, truth.revision) };
    if (draw < 0.72) return { from: 'revision', revision: truth.revision + 1_000 };
    if (draw < 0.8) return { from: 'present', text: random.pick(['', '0'] as const) };
    if (draw < 0.88) {
      const text = random.pick(['', '0', String(random.between(1, truth.revision))]);
      return { from: 'streamed-list', text };
    }
    return { from: 'revision', revision: await this.#list() };
  }

  /** Lists the view, in pages perhaps, and checks what came; gives the list's revision. */
  async #list(): Promise<number> {
    const { http, random, truth } = this.#watching;
    const query = new URLSearchParams(this.#view.query);
    const limit = random.pick([0, 0, 1, 3]);
    if (limit > 0) query.set('limit', String(limit));
    const found: WatchedObject[] = [];
    const before = truth.revision;
    let revision: number | undefined;
    for (;;) {
      const { status, body } = await http.call<ListBody>('GET', `${this.#view.path}?${query}`);
      if (status === 410) return this.#list();
      assert.equal(status, 200, JSON.stringify(body));
      revision ??= Number(body.metadata.resourceVersion);
      assert.equal(body.metadata.resourceVersion, String(revision), 'all pages are of one revision');
      found.push(...body.items);
      const next = body.metadata.continue ?? '';
      if (next === '') break;
      query.set('continue', next);
    }
    const what = `${this.#view.path}?${query} at ${revision}`;
    assert.ok(revision >= before && revision <= truth.revision, what);
    const expected = truth.stateAt(this.#view, revision);
    const names = (objects: readonly WatchedObject[]): string[] =>
      objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name} ${metadata.resourceVersion}`);
    assert.deepEqual(names(found), names(expected), what);
    for (const [index, object] of found.entries()) assertSame(object, expected[index] ?? object, what);
    return revision;
  }

  async #visit(start: Start, reading: Reading): Promise<void> {
    const { http, truth, random } = this.#watching;
    const { table } = this.#view.kind;
    const session: Session = {
      view: this.#view,
      start,
      earliest: truth.revision,
      latest: 0,
      compactedBefore: truth.compacted(table),
      compactedAfter: 0,
      received: [],
      status: 0,
    };
    this.sessions.push(session);
    const timeout = random.chance(0.2) ? random.between(1, 120) : undefined;
    const url = urlOf(this.#view, start, timeout);
    await runSession(http, session, { url, isSecure: this.#isSecure }, reading);
    this.#watching.signal.throwIfAborted();
    session.latest = truth.revision;
    session.compactedAfter = truth.compacted(table);
    this.#position = positionAfter(session);
  }

  /** A reader that goes after some events or writes, and may rest in between. */
  #drawReading(): Reading {
    const { random, progress, signal, isPatient } = this.#watching;
    const events = isPatient ? random.between(8, 30) : random.between(0, 12);
    const end = progress.after(isPatient ? 200 : random.between(1, 40));
    const restAt = random.chance(isPatient ? 0.8 : 0.4)
      ? random.between(isPatient ? 1 : 0, isPatient ? 2 : events)
      : -1;
    const restWrites = isPatient ? random.between(60, 120) : random.between(1, 60);
    return {
      isEnough: ({ received }) => received.length > events,
      rest: ({ received }) => (received.length === restAt ? progress.untilAfter(restWrites) : undefined),
      signal: AbortSignal.any([signal, end]),
      onOpen: () => undefined,
    };
  }

  #lastReading(): Reading {
    const { signal, passTime } = this.#watching;
    return { isEnough: () => this.#isComplete, rest: () => undefined, signal, onOpen: passTime };
  }
}

interface ListBody {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: WatchedObject[];
}

/** Where a client may resume after a session; undefined when it cannot know, or was told to begin anew. */
export function positionAfter({ start, received, status }: Session): number | undefined {
  let position = start.from === 'revision' ? start.revision : undefined;
  if (status === 0) return position;
  for (const item of received) {
    if (item.type === 'ERROR') return undefined;
    if (item.type === 'BOOKMARK') position = item.revision;
    // Among the present objects revisions are in no order; only a bookmark tells that they are over.
    else if (position !== undefined) position = Number(item.object.metadata.resourceVersion);
  }
  return position;
}
