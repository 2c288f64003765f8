import type { Fields } from './codec.ts';
import { count, moment, names, oneOf, span, text } from './fields.ts';

/** The reader's choices on the run page. */
export interface RunAddress {
  /** The part of the time axis that is shown. */
  readonly t: { readonly fromMs: number; readonly toMs: number } | undefined;
  /** The selected mark of the axis. */
  readonly mark: number | undefined;
  readonly fold: ReadonlySet<string>;
  /** The moment that is replayed, in milliseconds since the start; undefined while nothing is. */
  readonly at: number | undefined;
  readonly axis: 'lanes' | 'table';
  /** How the steps are shown. */
  readonly steps: 'list' | 'graph';
  /** The selected step, by its place among the steps. */
  readonly step: number | undefined;
  /** The open panel of what is selected; empty for its first one. */
  readonly pane: '' | 'probes' | 'logs' | 'settings' | 'ledger' | 'plan' | 'object' | 'command';
  /** The pod whose log is open; empty for none. */
  readonly pod: string;
  /** Only lines of the log that contain this; empty for all. */
  readonly find: string;
  /** Only lines of the log that matter at least so much. */
  readonly level: 'all' | 'warn' | 'error';
}

/** Codec of each part in links. */
export const RUN_ADDRESS: Fields<RunAddress> = {
  t: span,
  mark: count,
  fold: names,
  at: moment,
  axis: oneOf(['lanes', 'table']),
  steps: oneOf(['list', 'graph']),
  step: count,
  pane: oneOf(['', 'probes', 'logs', 'settings', 'ledger', 'plan', 'object', 'command']),
  pod: text,
  find: text,
  level: oneOf(['all', 'warn', 'error']),
};
