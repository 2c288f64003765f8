import type { Fields } from './codec.ts';
import { oneOf, order, text } from './fields.ts';

/** Kinds in a list of the cluster: what users start, everything, or one kind. */
export const SHOWN_KINDS = [
  'runs',
  'all',
  'ChaosEngine',
  'Workflow',
  'ChaosSchedule',
  'CronWorkflow',
  'ChaosResult',
] as const;

/** What a reader of the list chose. */
export interface ClusterAddress {
  /** Only objects whose namespace, name or faults contain this. */
  readonly find: string;
  readonly kind: (typeof SHOWN_KINDS)[number];
  /** Empty for all. */
  readonly namespace: string;
  /** By which column; undefined is the newest first. */
  readonly order: { readonly by: string; readonly isDown: boolean } | undefined;
  /** Whether only the newest are listed while nothing is filtered or ordered. */
  readonly rows: 'newest' | 'all';
}

/** Codec of each part in links. */
export const CLUSTER_ADDRESS: Fields<ClusterAddress> = {
  find: text,
  kind: oneOf(SHOWN_KINDS),
  namespace: text,
  order,
  rows: oneOf(['newest', 'all']),
};
