import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../manifests');

/** The files that conversations name: texts by name. */
export const MANIFESTS: ReadonlyMap<string, string> = new Map(
  readdirSync(FOLDER)
    .toSorted()
    .map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]),
);

/** Writes the files into a folder, with `$NS` and `$NODE` filled in. */
export function writeManifests(folder: string, ns: string, node: string): void {
  for (const [name, text] of MANIFESTS) {
    writeFileSync(join(folder, name), text.replaceAll('$NS', ns).replaceAll('$NODE', node));
  }
}
