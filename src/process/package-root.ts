import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Root folder of this package: in a checkout, installed with npm, and in an image, whether the code runs from its sources
 * or from the bundle (which lies in another depth). Found once, by its package.json.
 */
export const PACKAGE_ROOT: string = findRoot(import.meta.dirname);

/** Whether this code is part of the bundle that `npm run build` makes, and not the sources themselves. */
export const IS_BUNDLED: boolean = !import.meta.filename.endsWith('.ts');

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) {
    throw new Error(`no package.json above ${import.meta.dirname}; install turnsole as a whole package`);
  }
  return findRoot(parent);
}
