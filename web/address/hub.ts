import type { Fields } from './codec.ts';
import { text } from './fields.ts';

/** What a reader of a hub's page chose. */
interface HubAddress {
  /** Only what has this in its name or description. */
  readonly find: string;
  /** The open fault, `category/name`; empty for none. */
  readonly fault: string;
}

/** How each part stands in a link. */
export const HUB_ADDRESS: Fields<HubAddress> = { find: text, fault: text };
