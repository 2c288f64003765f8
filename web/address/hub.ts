import type { Fields } from './codec.ts';
import { text } from './fields.ts';

/** The reader's choices on a hub's page. */
interface HubAddress {
  /** Only entries with this in their name or description. */
  readonly find: string;
  /** The open fault, `category/name`; empty for none. */
  readonly fault: string;
}

/** Codec of each part in links. */
export const HUB_ADDRESS: Fields<HubAddress> = { find: text, fault: text };
