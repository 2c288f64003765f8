/** `npm run build`: makes dist/. */
import { join } from 'node:path';
import { bundle } from './bundle.ts';

const root = join(import.meta.dirname, '..');
const { directory, codeBytes, chunks, packages } = await bundle(root, join(root, 'dist'));
console.log(`${directory}: ${chunks} files, ${Math.round(codeBytes / 1024)} KiB of code`);
console.log(`with ${packages.join(', ')}`);
