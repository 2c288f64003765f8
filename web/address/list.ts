import type { Fields } from './codec.ts';
import { count, text } from './fields.ts';

/** What a reader of a list chose. */
interface ListAddress {
  /** Only rows whose name has this. */
  readonly find: string;
  /** From 0; undefined is the first. */
  readonly page: number | undefined;
}

/** How each part stands in a link. */
export const LIST_ADDRESS: Fields<ListAddress> = { find: text, page: count };
