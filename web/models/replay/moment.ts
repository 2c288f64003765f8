import { firstAbove } from '../timeline/columns.ts';
import { valueAt, valueWords } from '../timeline/curve.ts';
import type { Kind } from '../timeline/kinds.ts';
import { durationWords } from '../words/duration.ts';
import type { ReplayEvent } from './events.ts';
import type { Asker, Box, Replay } from './replay.ts';
import { covers, type Target } from './targets.ts';

/** State of a pod, or of another target: as before, hit, there but not ready, or not there. */
export type DotState = 'well' | 'hit' | 'unready' | 'gone';

/** A box at a moment. */
interface BoxNow {
  /** Its pods, in their places. */
  readonly dots: readonly DotState[];
  /** `2 of 3 pods ready`. */
  readonly words: string;
  /** Whether something in it is hit. */
  readonly isHit: boolean;
}

/** A probe at a moment. */
interface AskerNow {
  /** What it has found last. */
  readonly found: 'nothing' | 'passed' | 'failure' | 'error';
  /** Whether it is asking. */
  readonly isAsking: boolean;
  /** `answers, 12 ms`. */
  readonly words: string;
}

/** A run at a moment. */
export interface MomentNow {
  /** In the order of the replay's boxes. */
  readonly boxes: readonly BoxNow[];
  /** In the order of the replay's probes. */
  readonly askers: readonly AskerNow[];
  /** `pod-delete in force, 7 of 15 s`; empty if no chaos is. */
  readonly chaos: string;
  /** What the moment is about, in one sentence. */
  readonly sentence: string;
}

/** A run at a moment, in milliseconds since its start. Pure. */
export function momentAt(replay: Replay, atMs: number): MomentNow {
  const boxes = replay.boxes.map((box) => boxAt(box, atMs));
  const askers = replay.askers.map((asker) => askerAt(asker, atMs));
  return {
    boxes,
    askers,
    chaos: chaosWords(replay, atMs),
    sentence: sentenceAt(replay, boxes, askers, atMs),
  };
}

function boxAt(box: Box, atMs: number): BoxNow {
  const own = box.slots.map((slot) => dotOf(slot, atMs));
  const isHit = own.includes('hit');
  const pods = readyAt(box, atMs);
  if (pods === undefined) {
    const hit = own.filter((dot) => dot !== 'well').length;
    const noun = `${box.kind || 'target'}${own.length === 1 ? '' : 's'}`;
    return {
      dots: own,
      words: hit === 0 ? `${own.length} ${noun}` : `${hit} of ${own.length} ${noun} hit`,
      isHit,
    };
  }
  const dots = withReady(own, box, pods, atMs);
  const of = pods <= box.before ? ` of ${box.before}` : '';
  return { dots, words: `${pods}${of} pods ready`, isHit };
}

/** What is seen in a place: the target that came last. */
function dotOf(slot: readonly Target[], atMs: number): DotState {
  const target = slot.findLast(({ firstMs }) => firstMs <= atMs);
  if (target === undefined) return 'well';
  if (target.gone.some((span) => covers(span, atMs))) return 'gone';
  if (target.unready.some((span) => covers(span, atMs))) return 'unready';
  return target.hits.some((span) => covers(span, atMs)) ? 'hit' : 'well';
}

/**
 * The dots of a box whose number of ready pods is known: so many are as before, or hit and ready. Others stand in the places of what went; of these
 * the place that was lost last is the empty one, since the pod that has been missing the longest is replaced first.
 */
function withReady(own: readonly DotState[], box: Box, pods: number, atMs: number): DotState[] {
  const missing = Math.max(0, box.before - pods);
  const lost = own
    .flatMap((dot, index) =>
      dot === 'well' ? [] : [{ index, dot, sinceMs: lostSince(box.slots[index] ?? [], atMs) }],
    )
    .toSorted((a, b) => Number(a.dot === 'hit') - Number(b.dot === 'hit') || b.sinceMs - a.sinceMs);
  const empty = new Set(lost.slice(0, missing).map(({ index }) => index));
  // Pods that nobody has hit: the last ones stand for them.
  for (let index = own.length - 1; index >= 0 && empty.size < missing; index -= 1) empty.add(index);
  const dots = own.map((dot, index): DotState => {
    if (!empty.has(index)) return dot === 'hit' ? 'hit' : 'well';
    return dot === 'well' ? 'gone' : dot === 'hit' ? 'unready' : dot;
  });
  const more = Array.from({ length: Math.max(0, pods - box.before) }, (): DotState => 'well');
  return [...dots, ...more];
}

function lostSince(slot: readonly Target[], atMs: number): number {
  return slot.findLast(({ firstMs }) => firstMs <= atMs)?.firstMs ?? 0;
}

/**
 * Ready pods at a moment: before the first number it, and after the last one that; undefined if none are known. Numbers that were counted before all
 * pods had been seen are no loss.
 */
function readyAt({ ready, before }: Box, atMs: number): number | undefined {
  const curve = ready.findLast(({ time }) => (time[0] ?? 0) <= atMs) ?? ready[0];
  if (curve === undefined) return undefined;
  const index = Math.max(0, firstAbove(curve.time, atMs) - 1);
  const isWhole = curve.value.findIndex((pods) => pods >= before);
  return index < isWhole ? before : curve.value[index];
}

const FOUND: Readonly<Partial<Record<Kind, AskerNow['found']>>> = {
  passed: 'passed',
  failure: 'failure',
  error: 'error',
};
const FOUND_WORDS: Readonly<Record<AskerNow['found'], string>> = {
  nothing: 'has not asked yet',
  passed: 'holds',
  failure: 'fails',
  error: 'cannot be evaluated',
};

function askerAt({ marks, curve }: Asker, atMs: number): AskerNow {
  const last = marks.findLast(({ startMs }) => startMs <= atMs);
  const found = (last === undefined ? undefined : FOUND[last.kind]) ?? 'nothing';
  const value = curve === undefined ? undefined : valueAt(curve, atMs);
  const isAsking = value !== undefined || (last !== undefined && atMs < last.endMs);
  const number = value === undefined || curve === undefined ? '' : `, ${valueWords(value, curve.unit)}`;
  return { found, isAsking, words: `${FOUND_WORDS[found]}${number}` };
}

function chaosWords({ chaos }: Replay, atMs: number): string {
  return chaos
    .filter((span) => covers(span, atMs))
    .map(({ name, fromMs, toMs, isOver }) => {
      const seconds = Math.floor((atMs - fromMs) / 1000);
      return `${name} in force, ${isOver ? `${seconds} of ${Math.round((toMs - fromMs) / 1000)}` : seconds} s`;
    })
    .join('; ');
}

/** Beyond this the sentence says how long ago its event was, in milliseconds. */
const JUST_NOW_MS = 1000;

function sentenceAt(
  { events, eventTimes, boxes, askers, steps }: Replay,
  boxesNow: readonly BoxNow[],
  askersNow: readonly AskerNow[],
  atMs: number,
): string {
  const event = events[firstAbove(eventTimes, atMs) - 1];
  const ago = event === undefined ? 0 : atMs - event.atMs;
  const parts = [
    event === undefined
      ? 'Nothing has happened yet'
      : `${event.text}${ago > JUST_NOW_MS ? `, ${durationWords(Math.floor(ago / 1000) * 1000)} ago` : ''}`,
    ...boxes.flatMap(({ ready, before, name }, index) => {
      const { dots = [], words = '' } = boxesNow[index] ?? {};
      const isWhole =
        ready.length === 0 || dots.filter((dot) => dot === 'well' || dot === 'hit').length >= before;
      return isWhole ? [] : [isAbout(event, name) ? words : `${name} has ${words}`];
    }),
    ...askers.flatMap(({ name }, index) => {
      const { found = 'nothing', words = '' } = askersNow[index] ?? {};
      return isAbout(event, name) || found === 'nothing' || found === 'passed' ? [] : [`${name} ${words}`];
    }),
    ...(event === undefined
      ? steps.filter((step) => covers(step, atMs)).map(({ name }) => `step ${name}`)
      : []),
  ];
  return `${parts.join('; ')}.`;
}

function isAbout(event: ReplayEvent | undefined, name: string): boolean {
  return event?.text.startsWith(name) === true;
}
