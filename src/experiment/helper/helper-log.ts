import { parseObject } from '../../text/json.ts';
import type { TimelineNote } from '../injection/result/timeline-log.ts';

/**
 * Lines a helper writes on standard output for its experiment: JSON with `step` and `message`. They are a bell and become lines
 * of the timeline; what was done is in the ledger.
 */
export function formatHelperLine({ step, object, message }: TimelineNote, time: string): string {
  return JSON.stringify({ time, step, object, message });
}

/** Rings for the experiment that this helper's fault ends: what probes measure from then on is no chaos. Not in the timeline. */
export function formatOverBell(time: string): string {
  return JSON.stringify({ time, bell: OVER });
}

const OVER = 'over';

/** When the fault of a helper ended, in milliseconds since 1970 by the clock of its node; undefined for all other lines. */
export function parseOverBell(line: string): number | undefined {
  const { time, bell } = parseObject(line) ?? {};
  if (bell !== OVER || typeof time !== 'string') return undefined;
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The note of a line; undefined for everything else that stands in a log. */
export function parseHelperLine(line: string): (TimelineNote & { readonly time: string }) | undefined {
  const { time, step, object, message } = parseObject(line) ?? {};
  if (typeof time !== 'string' || typeof step !== 'string' || typeof message !== 'string') return undefined;
  return { time, step, message, ...(typeof object === 'string' ? { object } : {}) };
}
