/** Part of `npm run generate`: writes the modules of what the page asks. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pageDocuments } from './page-documents.ts';

const root = join(import.meta.dirname, '..');
for (const { path, content } of await pageDocuments(root)) {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}
