/** `npm run build:packages`: makes each of the project's own packages in its `dist/`, from where `npm pack` and `npm publish` take it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPackage } from './own-package.ts';

const root = join(import.meta.dirname, '..');
for (const name of await readdir(join(root, 'packages'))) {
  const folder = join(root, 'packages', name);
  const dist = join(folder, 'dist');
  await buildPackage(root, folder, dist);
  console.log(`${dist}: npm publish ${join('packages', name, 'dist')}`);
}
