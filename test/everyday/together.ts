/** The pure test files, in this one process. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { everydayFiles } from './files.ts';

for (const file of everydayFiles().pure) await import(pathToFileURL(resolve(file)).href);
