import type { Theme } from '../harness/scenario.ts';
import { CRUD } from './crud.ts';

/** All scenarios by theme, in the order of a first acquaintance with an API server. */
export const THEMES: readonly Theme[] = [CRUD];
