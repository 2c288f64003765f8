/** Writes the generated texts about faults. Run it as `npm run generate` after a change of a fault's settings. */
import { writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { faultRegistry } from '../../faults/index.ts';
import { pageSettings } from './page-settings.ts';
import { referencePage } from './reference-page.ts';

/** Each file that is written, with its text as it has to be now. */
export async function currentFiles(): Promise<ReadonlyMap<URL, string>> {
  const faults = await Promise.all([...faultRegistry.values()].map((load) => load()));
  return new Map([
    [new URL('../../../docs/faults.md', import.meta.url), referencePage(faults)],
    [
      new URL('../../../web/models/studio/generated/fault-settings.ts', import.meta.url),
      pageSettings(faults),
    ],
  ]);
}

if (import.meta.main) {
  for (const [file, text] of await currentFiles()) {
    await writeFile(file, text);
    process.stdout.write(`${relative(process.cwd(), fileURLToPath(file))}\n`);
  }
}
