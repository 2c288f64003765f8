/** `npm run generate`: what all faults together need, so that a server need not load them all to write a manifest. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { knownFaults, loadFaults } from '../load-faults.ts';
import { allFaultRights } from './fault-rights.ts';

const FOLDER = join(import.meta.dirname, 'generated');
const FILE = 'fault-rights.json';

/** The generated file as it has to be now. */
async function generatedRights(): Promise<string> {
  const faults = await loadFaults(knownFaults());
  const rights = {
    namespace: allFaultRights(faults, 'namespace'),
    cluster: allFaultRights(faults, 'cluster'),
  };
  return `${JSON.stringify(rights, null, 1)}\n`;
}

if (import.meta.main) {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, FILE), await generatedRights());
  process.stdout.write(`src/services/install/agent/generated/${FILE}\n`);
}
