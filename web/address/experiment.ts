import type { Fields } from './codec.ts';
import { count, oneOf, order, text } from './fields.ts';

/** The reader's choices on an experiment's page. */
interface ExperimentAddress {
  /** The page of its runs, from 0; undefined is the first. */
  readonly page: number | undefined;
  readonly order: { readonly by: string; readonly isDown: boolean } | undefined;
  readonly yaml: 'hidden' | 'shown';
  /** Runs whose manifests are compared, by their IDs or those of their starts; empty for none. */
  readonly before: string;
  readonly after: string;
}

/** Codec of each part in links. */
export const EXPERIMENT_ADDRESS: Fields<ExperimentAddress> = {
  ...{ page: count, order, before: text, after: text },
  yaml: oneOf(['hidden', 'shown']),
};
