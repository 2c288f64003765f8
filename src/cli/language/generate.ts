/** Writes docs/reference. Run it as `npm run generate` after a change of a schema. */
import { mkdir, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { referencePages } from './reference-pages.ts';

/** Folder of the pages. */
export const REFERENCE = new URL('../../../docs/reference/', import.meta.url);

if (import.meta.main) {
  await mkdir(REFERENCE, { recursive: true });
  for (const [name, text] of referencePages()) {
    const file = new URL(name, REFERENCE);
    await writeFile(file, text);
    process.stdout.write(`${relative(process.cwd(), fileURLToPath(file))}\n`);
  }
}
