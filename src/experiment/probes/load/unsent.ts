import { humanTime } from '@turnsole/kube/text/human-time';
import type { LoadRecord } from './load-plan.ts';

/** How much of a load was sent, and why the rest was not. */
export interface SendingCounts {
  readonly sent: number;
  /** Not sent because the load's own process was late. */
  readonly late: number;
  /** Not sent because as many as allowed were under way. */
  readonly busy: number;
  /** The most by which the process was late. */
  readonly latestMs: number;
}

/** Nothing was due yet. */
export const NOTHING_DUE: SendingCounts = { sent: 0, late: 0, busy: 0, latestMs: 0 };

/** Where less than this share of the requests that were due was sent, nothing is known of what users would have seen. */
const LEAST_SHARE = 0.9;

/** The counts with one more record. Pure. */
export function counted(counts: SendingCounts, record: LoadRecord): SendingCounts {
  if (record.outcome !== 'unsent') return { ...counts, sent: counts.sent + 1 };
  const { why, count, lateMs } = record;
  return { ...counts, [why]: counts[why] + count, latestMs: Math.max(counts.latestMs, lateMs) };
}

/** Two counts as one. Pure. */
export function together(one: SendingCounts, other: SendingCounts): SendingCounts {
  return {
    sent: one.sent + other.sent,
    late: one.late + other.late,
    busy: one.busy + other.busy,
    latestMs: Math.max(one.latestMs, other.latestMs),
  };
}

/** How many requests were due and not sent. Pure. */
export function unsentOf({ late, busy }: SendingCounts): number {
  return late + busy;
}

/** Whether so much of the load was not sent that it cannot be judged. Pure. */
export function isTooLittle(counts: SendingCounts): boolean {
  const unsent = unsentOf(counts);
  return unsent > 0 && counts.sent < LEAST_SHARE * (counts.sent + unsent);
}

/**
 * `sent 912 of 1000; 88 were not sent: the load's own process was late by up to 1.2 s`; undefined where all that was due was sent. Pure.
 *
 * @param concurrency how many requests may be under way
 */
export function unsentWords(counts: SendingCounts, concurrency: number): string | undefined {
  const { sent, late, busy, latestMs } = counts;
  const unsent = unsentOf(counts);
  if (unsent === 0) return undefined;
  const why = [
    ...(late > 0 ? [`the load's own process was late by up to ${humanTime(latestMs)}`] : []),
    ...(busy > 0 ? [`as many requests as allowed (${concurrency}) were under way`] : []),
  ];
  const reasons = why.length === 1 ? why[0] : `${late} because ${why[0]}, and ${busy} because ${why[1]}`;
  return `sent ${sent} of ${sent + unsent}; ${unsent} ${unsent === 1 ? 'was' : 'were'} not sent: ${reasons}`;
}
