import { CORE_KINDS } from './core.ts';
import { GROUP_KINDS } from './groups.ts';
import type { KindDefinition } from './kind.ts';

/** Every kind that is built into the server. */
export const BUILT_IN_KINDS: readonly KindDefinition[] = [...CORE_KINDS, ...GROUP_KINDS];
