import type { Fields } from './codec.ts';
import { count, names, oneOf, span, text } from './fields.ts';

/** What a reader of the run page chose. */
export interface RunAddress {
  /** The part of the time axis that is shown. */
  readonly t: { readonly fromMs: number; readonly toMs: number } | undefined;
  /** The selected mark of the axis. */
  readonly mark: number | undefined;
  readonly fold: ReadonlySet<string>;
  readonly axis: 'lanes' | 'table';
  /** How the steps are shown. */
  readonly steps: 'list' | 'graph';
  /** The selected step, by its place among the steps. */
  readonly step: number | undefined;
  /** The open panel of what is selected. */
  readonly pane: 'probes' | 'logs' | 'settings' | 'ledger' | 'plan' | 'object' | 'command';
  /** The pod whose log is open; empty for none. */
  readonly pod: string;
  /** Only lines of the log that hold this; empty for all. */
  readonly find: string;
}

/** How each part stands in a link. */
export const RUN_ADDRESS: Fields<RunAddress> = {
  t: span,
  mark: count,
  fold: names,
  axis: oneOf(['lanes', 'table']),
  steps: oneOf(['list', 'graph']),
  step: count,
  pane: oneOf(['probes', 'logs', 'settings', 'ledger', 'object', 'command']),
  pod: text,
  find: text,
};

/** The same for a run of the cluster that the server looks at, whose logs are what is looked at first. */
export const CLUSTER_RUN_ADDRESS: Fields<RunAddress> = {
  ...RUN_ADDRESS,
  pane: oneOf(['logs', 'probes', 'settings', 'ledger', 'plan', 'object', 'command']),
};
