import type * as Cel from './index.ts';

/** What evaluates expressions. */
type CelModule = typeof Cel;

let loaded: CelModule | undefined;

/** Loads what evaluates expressions; servers that never meet one start without it. */
export async function loadCel(): Promise<CelModule> {
  loaded ??= await import('./index.ts');
  return loaded;
}

/** The same where nothing can be awaited; undefined before {@link loadCel} was called. */
export function loadedCel(): CelModule | undefined {
  return loaded;
}
