/** Writes docs/errors.md out of the catalogue of errors. Run it as `npm run generate` after a change of a code. */
import { writeFile } from 'node:fs/promises';
import { ERROR_CATALOGUE } from '../../services/error-codes/catalogue.ts';
import { errorsPage } from './errors-page.ts';

/** Place of the page. */
export const ERRORS_PAGE = new URL('../../../docs/errors.md', import.meta.url);

if (import.meta.main) {
  await writeFile(ERRORS_PAGE, errorsPage(ERROR_CATALOGUE));
  process.stdout.write('docs/errors.md\n');
}
