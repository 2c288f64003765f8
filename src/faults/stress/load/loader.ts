import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedLoad } from './load.ts';

/** The order for the built-in loader, as JSON in its first argument. */
export interface LoaderPlan extends ResolvedLoad {
  /** It ends by itself after this time, unless it was ended before. */
  readonly seconds: number;
}

/** Lines on the loader's standard output. */
export const LOADER_WORDS = { ready: 'ready', loaded: 'loaded', failed: 'failed ' } as const;

/** Beside this file in the sources; an entry of its own in the bundle. */
const SOURCE = join(import.meta.dirname, 'loader-main.ts');

/** The built-in loader; a {@link LoaderPlan} as JSON is its argument. */
export const LOADER_PROGRAM = existsSync(SOURCE) ? SOURCE : join(import.meta.dirname, 'loader.js');
