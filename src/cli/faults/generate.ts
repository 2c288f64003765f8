/** Writes docs/faults.md out of the faults there are. Run it as `npm run generate` after a change of a fault's settings. */
import { writeFile } from 'node:fs/promises';
import { faultRegistry } from '../../faults/index.ts';
import { referencePage } from './reference-page.ts';

/** Where the reference page is stored. */
export const REFERENCE_PAGE = new URL('../../../docs/faults.md', import.meta.url);

/** The reference page as it has to be now. */
export async function currentReferencePage(): Promise<string> {
  return referencePage(await Promise.all([...faultRegistry.values()].map((load) => load())));
}

if (import.meta.main) {
  await writeFile(REFERENCE_PAGE, await currentReferencePage());
  process.stdout.write('docs/faults.md\n');
}
