/** Writes the generated texts about faults. Run it as `npm run generate` after a change of a fault's settings. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chaosDefinitions } from '../../api/schema/definitions.ts';
import { COMMON_TUNABLES } from '../../experiment/injection/settings/common-tunables.ts';
import { faultRegistry } from '../../faults/index.ts';
import { cloudPolicy } from './cloud-policy.ts';
import type { ShownFault } from './describe-fault.ts';
import { editorSchema } from './editor-schema.ts';
import { pageSettings } from './page-settings.ts';
import { referencePage } from './reference-page.ts';

/** The least permissions in clouds, by vendor and fault. */
const POLICIES = new URL('../../../deploy/cloud/', import.meta.url);

/** Each file that is written, with its text as it has to be now. */
export async function currentFiles(): Promise<ReadonlyMap<URL, string>> {
  const faults = await Promise.all([...faultRegistry.values()].map((load) => load()));
  const policies = faults.flatMap((fault) => cloudPolicy(fault) ?? []);
  return new Map([
    ...policies.map(({ path, text }): [URL, string] => [new URL(path, POLICIES), text]),
    [new URL('../../../docs/faults.md', import.meta.url), referencePage(faults)],
    [
      new URL('../../../web/models/studio/generated/fault-settings.ts', import.meta.url),
      pageSettings(faults),
    ],
    [new URL('../../chaos/generated/fault-settings.json', import.meta.url), settingNames(faults)],
    [
      new URL('../../../deploy/schemas/turnsole.json', import.meta.url),
      `${JSON.stringify(editorSchema(chaosDefinitions(), faults), null, 1)}\n`,
    ],
  ]);
}

/** The names of all settings, for programs that judge engines without loading a fault. Pure. */
function settingNames(faults: readonly ShownFault[]): string {
  const common = Object.keys(COMMON_TUNABLES);
  const own = ({ tunables, targets }: ShownFault) => ({
    own: Object.keys(tunables).filter((name) => !common.includes(name)),
    targets,
  });
  const byName = Object.fromEntries(faults.map((fault) => [fault.name, own(fault)]));
  return `${JSON.stringify({ common, faults: byName }, null, 1)}\n`;
}

if (import.meta.main) {
  for (const [file, text] of await currentFiles()) {
    await mkdir(dirname(fileURLToPath(file)), { recursive: true });
    await writeFile(file, text);
    process.stdout.write(`${relative(process.cwd(), fileURLToPath(file))}\n`);
  }
}
