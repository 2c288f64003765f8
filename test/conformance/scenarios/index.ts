import type { Theme } from '../harness/scenario.ts';
import { ACCOUNTS_THEME, EVENTS } from './accounts.ts';
import { APPLYING } from './applying.ts';
import { CLIENTS } from './clients.ts';
import { CUSTOM_RESOURCES } from './crds.ts';
import { CRUD } from './crud.ts';
import { DELETING } from './deleting.ts';
import { DISCOVERY, TABLES } from './discovery.ts';
import { MORE_KINDS } from './more-kinds.ts';
import { PATCHING } from './patching.ts';
import { PODS_THEME } from './pods.ts';
import { READING } from './reading.ts';
import { NAMESPACES, SUBRESOURCES } from './subresources.ts';
import { WATCHING } from './watching.ts';
import { WRITING } from './writing.ts';

/** All scenarios by theme, in the order of a first acquaintance with an API server. */
export const THEMES: readonly Theme[] = [
  CRUD,
  WRITING,
  PATCHING,
  APPLYING,
  READING,
  WATCHING,
  DELETING,
  SUBRESOURCES,
  NAMESPACES,
  ACCOUNTS_THEME,
  EVENTS,
  PODS_THEME,
  CUSTOM_RESOURCES,
  DISCOVERY,
  TABLES,
  CLIENTS,
  MORE_KINDS,
];
