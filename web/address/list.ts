import type { Fields } from './codec.ts';
import { count, day, oneOf, order, text } from './fields.ts';

/** Phases of runs for filters, in the form of the API; the first is all of them. */
export const RUN_PHASES = [
  '',
  'Queued',
  'Running',
  'Completed',
  'Completed_With_Probe_Failure',
  'Error',
  'Stopped',
  'Timeout',
  'Terminated',
] as const;

/** Types of experiments for filters, in the form of the API; the first is all of them. */
export const SCHEDULE_TYPES = ['', 'CRON', 'NON_CRON'] as const;

/** The reader's choices for a list. */
export interface ListAddress {
  /** Only rows whose name contains this. */
  readonly find: string;
  /** From 0; undefined is the first. */
  readonly page: number | undefined;
  readonly order: { readonly by: string; readonly isDown: boolean } | undefined;
  /** Of runs, and of experiments by their last run. */
  readonly phase: (typeof RUN_PHASES)[number];
  /** Only rows of the infrastructure of this ID; empty for all. */
  readonly infra: string;
  /** Whether the experiment has a schedule; empty for all. */
  readonly type: (typeof SCHEDULE_TYPES)[number];
  /** Only rows last changed from one day of the reader, `2026-11-24`, to another, both included; empty for no limit. */
  readonly from: string;
  readonly to: string;
}

/** Codec of each part in links. */
export const LIST_ADDRESS: Fields<ListAddress> = {
  ...{ find: text, page: count, order, infra: text },
  ...{ from: day, to: day, type: oneOf(SCHEDULE_TYPES) },
  phase: oneOf(RUN_PHASES),
};
