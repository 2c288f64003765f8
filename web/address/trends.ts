import type { Fields } from './codec.ts';
import { day } from './fields.ts';

/** The period of a report, as days of the reader; empty until it is chosen. */
interface TrendsAddress {
  readonly from: string;
  /** The last day. */
  readonly to: string;
}

/** Codec of each part in links. */
export const TRENDS_ADDRESS: Fields<TrendsAddress> = { from: day, to: day };
