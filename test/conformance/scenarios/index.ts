import type { Theme } from '../harness/scenario.ts';
import { CRUD } from './crud.ts';
import { DELETING } from './deleting.ts';
import { PATCHING } from './patching.ts';
import { READING } from './reading.ts';
import { WATCHING } from './watching.ts';
import { WRITING } from './writing.ts';

/** All scenarios by theme, in the order of a first acquaintance with an API server. */
export const THEMES: readonly Theme[] = [CRUD, WRITING, PATCHING, READING, WATCHING, DELETING];
