import type { Fields } from './codec.ts';
import { count, day, oneOf, order, text } from './fields.ts';

/** Phases of a run that a list is narrowed to, as the API has them; the first is all of them. */
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

/** Types of experiments that a list is narrowed to, as the API has them; the first is all of them. */
export const SCHEDULE_TYPES = ['', 'CRON', 'NON_CRON'] as const;

/** What a reader of a list chose. */
export interface ListAddress {
  /** Only rows whose name has this. */
  readonly find: string;
  /** From 0; undefined is the first. */
  readonly page: number | undefined;
  readonly order: { readonly by: string; readonly isDown: boolean } | undefined;
  /** Of runs, and of experiments by their last run. */
  readonly phase: (typeof RUN_PHASES)[number];
  /** Only what belongs to the infrastructure of this ID; empty for all. */
  readonly infra: string;
  /** Whether the experiment has a schedule; empty for all. */
  readonly type: (typeof SCHEDULE_TYPES)[number];
  /** Only what was last changed from one day of the reader, `2026-11-24`, to another, both included; empty for no limit. */
  readonly from: string;
  readonly to: string;
}

/** How each part stands in a link. */
export const LIST_ADDRESS: Fields<ListAddress> = {
  ...{ find: text, page: count, order, infra: text },
  ...{ from: day, to: day, type: oneOf(SCHEDULE_TYPES) },
  phase: oneOf(RUN_PHASES),
};
