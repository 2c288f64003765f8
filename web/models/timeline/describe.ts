import { durationWords } from '../words/duration.ts';
import type { Axis } from './axis.ts';
import { KIND_WORDS } from './kinds.ts';

/** A moment of a run as lists and tables show it: `+12.345 s`. */
export function offsetWords(ms: number): string {
  return `+${(ms / 1000).toFixed(3)} s`;
}

/** When a mark was: `+12.345 s`, or from when to when and how long; `nowMs` is where the run has got to. Pure. */
export function timeWords(
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
  nowMs: number,
): string {
  if (startMs === endMs) return offsetWords(startMs);
  if (endMs === Number.POSITIVE_INFINITY)
    return `since ${offsetWords(startMs)}, ${durationWords(nowMs - startMs)}`;
  return `${offsetWords(startMs)} to ${offsetWords(endMs)}, ${durationWords(endMs - startMs)}`;
}

/** A mark in one sentence: its lane, its state, when, and what is said of it. A screen reader says this. Pure. */
export function describeMark({ lanes, marks }: Axis, id: number, nowMs: number): string {
  const mark = marks[id];
  if (mark === undefined) return '';
  const name = lanes[mark.lane]?.name ?? '';
  return `${name}, ${KIND_WORDS[mark.kind]}, ${timeWords(mark, nowMs)}: ${mark.label}`;
}
