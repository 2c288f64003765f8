/** `npm run build:packages`: makes each of the project's own packages in its `dist/`, from where `npm pack` and `npm publish` take it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPackages } from './own-package.ts';

const root = join(import.meta.dirname, '..');
const names = await readdir(join(root, 'packages'));
for (const dist of await buildPackages(root, names, (name) => join(root, 'packages', name, 'dist'))) {
  console.log(`${dist}: npm publish ${dist}`);
}
