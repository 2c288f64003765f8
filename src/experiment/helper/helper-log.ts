import type { TimelineNote } from '../result/timeline-log.ts';

/**
 * Lines a helper writes on standard output for its experiment: JSON with `step` and `message`. They are a bell and become lines
 * of the timeline; what was done is in the ledger.
 */
export function formatHelperLine({ step, object, message }: TimelineNote, time: string): string {
  return JSON.stringify({ time, step, ...(object === undefined ? {} : { object }), message });
}

/** The note of a line; undefined for everything else that stands in a log. */
export function parseHelperLine(line: string): (TimelineNote & { readonly time: string }) | undefined {
  if (!line.startsWith('{')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { time, step, object, message } = value as Record<string, unknown>;
  if (typeof time !== 'string' || typeof step !== 'string' || typeof message !== 'string') return undefined;
  return { time, step, message, ...(typeof object === 'string' ? { object } : {}) };
}
