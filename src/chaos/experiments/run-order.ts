import { parseDuration } from '@turnsole/kube/text/duration';
import type { ChaosEngine, EngineExperiment, EngineVerdict, Execution } from '../../api/index.ts';

/** One start of one experiment: what the engine's status has an entry for. */
export interface Item {
  readonly name: string;
  /** Position in the engine's list of experiments. */
  readonly position: number;
  /** From 1. */
  readonly iteration: number;
}

/** How far an item is. */
export type Progress =
  | { readonly state: 'waiting' | 'running' }
  | { readonly state: 'ended'; readonly verdict: EngineVerdict };

/** The order of a run, worked out once. */
export interface Order {
  readonly items: readonly Item[];
  /** Rank of each item among those of its iteration: the lower one starts first. */
  readonly ranks: readonly number[];
  /** For each item the indices of those that must have ended before. */
  readonly dependencies: readonly (readonly number[])[];
  readonly maxParallel: number;
  /** Least time between the starts of two iterations, milliseconds. */
  readonly minIntervalMs: number;
  readonly onFailure: 'continue' | 'stop';
}

/** The next steps. Nothing to start, nothing to wait for and nothing running means that the run is done. */
interface NextSteps {
  /** Indices of items to start now. */
  readonly start: readonly number[];
  /** Items that are never started, and why. */
  readonly skip: readonly { readonly index: number; readonly reason: string }[];
  /** Ask again after this time, if nothing ends before. */
  readonly waitMs?: number;
}

/**
 * The order that `spec.execution` and `dependsOn` ask for. Pure: the random order follows from the seed, or else from the
 * run id, so that a restarted runner goes on with the same one.
 */
export function planOrder(names: readonly string[], engine: Pick<ChaosEngine, 'spec'>, runId: string): Order {
  const execution: Execution = engine.spec.execution ?? {};
  const iterations = Math.max(1, execution.iterations ?? 1);
  const items = Array.from({ length: iterations }, (_, pass) =>
    names.map((name, position) => ({ name, position, iteration: pass + 1 })),
  ).flat();
  const seed = String(execution.seed ?? runId);
  const ranks = Array.from({ length: iterations }, (_, pass) =>
    execution.order === 'random' ? shuffledRanks(names.length, `${seed}\n${pass}`) : names.map((_, at) => at),
  ).flat();
  return {
    items,
    ranks,
    dependencies: items.map((item) => dependenciesOf(item, names, engine.spec.experiments)),
    maxParallel: execution.order === 'parallel' ? (execution.maxParallel ?? Number.POSITIVE_INFINITY) : 1,
    minIntervalMs: execution.minInterval === undefined ? 0 : parseDuration(execution.minInterval),
    onFailure: execution.onFailure ?? 'continue',
  };
}

function dependenciesOf(
  { position, iteration, name }: Item,
  names: readonly string[],
  experiments: readonly EngineExperiment[],
): number[] {
  const entry = experiments[position]?.name === name ? experiments[position] : undefined;
  return (entry?.dependsOn ?? [])
    .map((dependency) => names.indexOf(dependency))
    .filter((at) => at >= 0)
    .map((at) => (iteration - 1) * names.length + at);
}

/**
 * Decides what to start, skip or wait for, given how far each item is. Pure.
 *
 * An iteration begins when the one before has ended and the least interval since its start is over. Within it an item waits
 * for those it depends on, however they end. After a verdict other than Pass, `onFailure: stop` starts nothing any more.
 */
export function nextSteps(
  order: Order,
  progress: readonly Progress[],
  now: { readonly nowMs: number; readonly iterationStartedMs: number | undefined },
): NextSteps {
  const waiting = indicesOf(progress, 'waiting');
  const [first] = waiting;
  if (first === undefined) return { start: [], skip: [] };
  const failed = order.onFailure === 'stop' ? firstFailure(order, progress) : undefined;
  if (failed !== undefined) return { start: [], skip: waiting.map((index) => ({ index, reason: failed })) };
  const iteration = order.items[first]?.iteration ?? 1;
  const running = indicesOf(progress, 'running');
  const isOpen = (index: number): boolean => order.items[index]?.iteration === iteration;
  if (running.some((index) => !isOpen(index))) return { start: [], skip: [] };
  if (isUntouched(order, progress, iteration)) {
    const leftMs = (now.iterationStartedMs ?? Number.NEGATIVE_INFINITY) + order.minIntervalMs - now.nowMs;
    if (iteration > 1 && leftMs > 0) return { start: [], skip: [], waitMs: leftMs };
  }
  const ready = waiting
    .filter(isOpen)
    .filter((index) => order.dependencies[index]?.every((other) => progress[other]?.state === 'ended'))
    .sort((a, b) => (order.ranks[a] ?? 0) - (order.ranks[b] ?? 0));
  if (ready.length === 0 && running.length === 0) {
    // Validation refuses circles; a cluster with an older definition may let one through.
    const reason = 'not started: what it depends on can never end';
    return { start: [], skip: waiting.map((index) => ({ index, reason })) };
  }
  return { start: ready.slice(0, Math.max(0, order.maxParallel - running.length)), skip: [] };
}

function indicesOf(progress: readonly Progress[], state: Progress['state']): number[] {
  return progress.flatMap((one, index) => (one.state === state ? [index] : []));
}

/** Whether nothing of an iteration has begun. Pure. */
export function isUntouched({ items }: Order, progress: readonly Progress[], iteration: number): boolean {
  return items.every((item, index) => item.iteration !== iteration || progress[index]?.state === 'waiting');
}

/** Verdict N/A is that of an item which was itself never started. */
function firstFailure({ items }: Order, progress: readonly Progress[]): string | undefined {
  const index = progress.findIndex((one) => one.state === 'ended' && !['Pass', 'N/A'].includes(one.verdict));
  const one = progress[index];
  if (one?.state !== 'ended') return undefined;
  return `not started: ${items[index]?.name} ended with ${one.verdict}, and spec.execution.onFailure is stop`;
}

/** A rank for each position; the same seed gives the same ranks. Fisher and Yates' shuffle on a small generator (mulberry32). */
function shuffledRanks(length: number, seed: string): number[] {
  const random = seededRandom(seed);
  const ranks = Array.from({ length }, (_, at) => at);
  for (let last = length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const held = ranks[last] ?? last;
    ranks[last] = ranks[other] ?? other;
    ranks[other] = held;
  }
  return ranks;
}

function seededRandom(seed: string): () => number {
  // FNV-1a over the text gives the 32 bits to begin with.
  let state = 0x811c9dc5;
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
