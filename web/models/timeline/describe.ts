import { durationWords } from '../words/duration.ts';
import type { Axis } from './axis.ts';
import { curveWords } from './curve.ts';
import { KIND_WORDS } from './kinds.ts';
import type { Line } from './layout.ts';

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

/**
 * What a line of the drawing is called. Numbers say what they are: in the caption of their lane where there is one, else beside the curve,
 * and there whose they are where no row above does. Pure.
 */
export function lineName({ lanes }: Pick<Axis, 'lanes'>, line: Line): string {
  if (line.kind === 'header') return line.group;
  const { name = '', rows = [], curve } = lanes[line.lane] ?? {};
  if (curve === undefined || line.kind === 'row') return name;
  const words = curveWords(curve);
  return line.kind === 'curve' && rows.length > 0 ? words : `${name}, ${words}`;
}
