import { durationWords } from '../words/duration.ts';
import type { Axis } from './axis.ts';
import { curveWords } from './curve.ts';
import { KIND_WORDS } from './kinds.ts';
import type { Line } from './layout.ts';

/** A moment of a run in lists and tables: `+12.345 s`; before its start `-12.345 s`. */
export function offsetWords(ms: number): string {
  return `${ms < 0 ? '-' : '+'}${(Math.abs(ms) / 1000).toFixed(3)} s`;
}

/** A moment of a run in a sentence: `12.4 s after the start`. Pure. */
export function momentWords(ms: number): string {
  return ms < 0 ? `${durationWords(-ms)} before the start` : `${durationWords(ms)} after the start`;
}

/** The time of a mark: `+12.345 s`, or its range and duration; `nowMs` is the current end of the run. Pure. */
export function timeWords(
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
  nowMs: number,
): string {
  if (startMs === endMs) return offsetWords(startMs);
  if (endMs === Number.POSITIVE_INFINITY)
    return `since ${offsetWords(startMs)}, ${durationWords(nowMs - startMs)}`;
  return `${offsetWords(startMs)} to ${offsetWords(endMs)}, ${durationWords(endMs - startMs)}`;
}

/** A mark in one sentence, for screen readers: its lane, state, time and text. Pure. */
export function describeMark({ lanes, marks }: Axis, id: number, nowMs: number): string {
  const mark = marks[id];
  if (mark === undefined) return '';
  const name = lanes[mark.lane]?.name ?? '';
  return `${name}, ${KIND_WORDS[mark.kind]}, ${timeWords(mark, nowMs)}: ${mark.label}`;
}

/** Letters at the end of a name that are always shown: pods of one workload differ there. */
const TAIL = 7;

/**
 * The name of a lane in little space: the part that may be cut, the part that may not, and its owner, which may be cut as well. A name that ends in
 * brackets differs from others at its beginning. Pure.
 */
export function nameParts(name: string): readonly [mayBeCut: string, stays: string, whose: string] {
  const comma = name.lastIndexOf(', ');
  const own = comma < 0 ? name : name.slice(0, comma);
  const letters = [...own];
  const tail = own.endsWith(')') ? 0 : Math.min(TAIL, letters.length);
  const at = letters.length - tail;
  return [letters.slice(0, at).join(''), letters.slice(at).join(''), name.slice(own.length)];
}

/**
 * The name of a line of the drawing. For numbers it says what they measure: in the caption of their lane if there is one, else beside the curve,
 * there with their owner unless a row above has it. Pure.
 */
export function lineName({ lanes }: Pick<Axis, 'lanes'>, line: Line): string {
  if (line.kind === 'header') return line.group;
  const { name = '', rows = [], curve } = lanes[line.lane] ?? {};
  if (curve === undefined || line.kind === 'row') return name;
  const words = curveWords(curve);
  return line.kind === 'curve' && rows.length > 0 ? words : `${name}, ${words}`;
}
