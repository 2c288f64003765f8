import type { Fields } from './codec.ts';
import { count, oneOf, order } from './fields.ts';

/** What a reader of an experiment's page chose. */
interface ExperimentAddress {
  /** The page of its runs, from 0; undefined is the first. */
  readonly page: number | undefined;
  readonly order: { readonly by: string; readonly isDown: boolean } | undefined;
  readonly yaml: 'hidden' | 'shown';
}

/** How each part stands in a link. */
export const EXPERIMENT_ADDRESS: Fields<ExperimentAddress> = {
  ...{ page: count, order },
  yaml: oneOf(['hidden', 'shown']),
};
