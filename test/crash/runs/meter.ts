import { setTimeout as delay } from 'node:timers/promises';
import type { Effect, Look } from './effect.ts';
import type { Onlooker } from './effects.ts';
import type { Blow } from './scenario.ts';

/** By the crash contract, what was in force is gone this long after its lease at the latest. */
export const MARGIN_MS = 2_000;
/** Between two looks; a look costs two programs per pod. */
const LOOK_EVERY_MS = 250;

/** Whose effects are meant: all of an engine, or those on the nodes of a helper that was killed. */
export type Scope = 'all' | readonly string[];

/** How long something stayed in force after who could have reverted it was killed, or came back. */
export interface Residue {
  readonly engine: string;
  readonly after: Blow['what'];
  /** Until a look that saw it no more had ended: no less than it was. */
  readonly ms: number;
  /** Until the last look began that saw it: no more than it was. */
  readonly seenMs: number;
  /** What was seen last. */
  readonly effects: readonly string[];
}

interface Watched {
  readonly application: string;
  readonly owns: (effect: Effect) => boolean;
  readonly moments: { readonly atMs: number; readonly what: Blow['what'] }[];
  scope: Set<string> | 'all';
  /** Beginning of the last look that saw something, and what; end of the first one after it that did not. */
  last:
    | { readonly seenMs: number; readonly effects: readonly Effect[]; readonly goneMs?: number }
    | undefined;
}

/** Measures, from outside, how long effects outlive those who hold them. */
export class ResidueMeter {
  readonly #onlooker: Pick<Onlooker, 'look'>;
  readonly #now: () => number;
  readonly #engines = new Map<string, Watched>();
  #isOver = false;
  #looking: Promise<void> | undefined;

  constructor(onlooker: Pick<Onlooker, 'look'>, now: () => number = () => performance.now()) {
    this.#onlooker = onlooker;
    this.#now = now;
  }

  /** Adds an engine, with the application it hits and what tells its effects. */
  add(engine: string, application: string, owns: (effect: Effect) => boolean): void {
    this.#engines.set(engine, { application, owns, moments: [], scope: new Set(), last: undefined });
  }

  /** Somebody was killed: what is meant may stay for the lease, counted from now. */
  killed(engine: string, what: Blow['what'], scope: Scope): void {
    const watched = this.#engines.get(engine);
    if (watched === undefined) return;
    watched.moments.push({ atMs: this.#now(), what });
    if (scope === 'all') watched.scope = 'all';
    else if (watched.scope !== 'all') for (const node of scope) watched.scope.add(node);
    this.#looking ??= this.#keepLooking();
  }

  /** What nobody could revert while a node or the API server was away may stay for the lease once more. */
  back(what: Blow['what']): void {
    for (const { moments } of this.#engines.values()) {
      if (moments.length > 0) moments.push({ atMs: this.#now(), what });
    }
  }

  /** Ends it, and gives what was measured. */
  async stop(): Promise<Residue[]> {
    this.#isOver = true;
    await this.#looking;
    return [...this.#engines].flatMap(([engine, { moments, last }]) => {
      if (last === undefined) return [];
      const since = moments.findLast(({ atMs }) => atMs <= last.seenMs);
      if (since === undefined) return [];
      const ms = (last.goneMs ?? this.#now()) - since.atMs;
      const seenMs = last.seenMs - since.atMs;
      return [{ engine, after: since.what, ms, seenMs, effects: last.effects.map(({ what }) => what) }];
    });
  }

  #applications(): ReadonlySet<string> {
    const watched = [...this.#engines.values()].filter(({ moments }) => moments.length > 0);
    return new Set(watched.map(({ application }) => application));
  }

  async #keepLooking(): Promise<void> {
    while (!this.#isOver) {
      const fromMs = this.#now();
      const look = await this.#onlooker.look(this.#applications());
      const toMs = this.#now();
      for (const watched of this.#engines.values()) note(watched, look, fromMs, toMs);
      await delay(LOOK_EVERY_MS);
    }
  }
}

function note(watched: Watched, { effects, isComplete }: Look, fromMs: number, toMs: number): void {
  const { scope, owns, last, moments } = watched;
  // What was seen before anybody was killed is nobody's residue.
  if (moments.length === 0 || fromMs < (moments[0]?.atMs ?? 0)) return;
  const own = effects.filter(
    (effect) => owns(effect) && (scope === 'all' || (effect.node !== undefined && scope.has(effect.node))),
  );
  if (own.length > 0) {
    watched.last = { seenMs: fromMs, effects: own };
    return;
  }
  if (last === undefined || last.goneMs !== undefined) return;
  // Of what is in an object nothing is known while the API server is away.
  const isKnown = isComplete || last.effects.every(({ node, inObject = node === undefined }) => !inObject);
  if (isKnown) watched.last = { ...last, goneMs: toMs };
}

/** Percentiles of what was measured, by the blow that it was measured from, as lines of text. Pure. */
export function summarize(residues: readonly Pick<Residue, 'after' | 'ms'>[]): string[] {
  const groups = [...Map.groupBy(residues, ({ after }) => after)].sort(([a], [b]) => (a < b ? -1 : 1));
  return [...groups, ['all', residues] as const]
    .filter(([, group]) => group.length > 0)
    .map(([after, group]) => {
      const sorted = group.map(({ ms }) => ms).sort((a, b) => a - b);
      const at = (share: number): string =>
        ((sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0) / 1000).toFixed(2);
      return `residue after ${after}: ${group.length} measured, p50 ${at(0.5)} s, p90 ${at(0.9)} s, p99 ${at(0.99)} s, max ${at(1)} s`;
    });
}
