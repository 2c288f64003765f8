/** Writes the types of chaos as code. Run it as `npm run generate` after a change of a fault's settings or of a schema. */
import { writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StructuralSchema } from '@turnsole/kube/schema/schema';
import { chaosDefinitions } from '../../api/schema/definitions.ts';
import { faultRegistry } from '../../faults/index.ts';
import { catalogueText, faultsText } from './faults-text.ts';
import { measurementsText, schemaAt } from './measurements-text.ts';
import { probesText } from './probes-text.ts';

const FOLDER = new URL('../../runs/as-code/generated/', import.meta.url);

/** Each file that is written, with its text as it has to be now. */
export async function currentFiles(): Promise<ReadonlyMap<URL, string>> {
  const faults = await Promise.all([...faultRegistry.values()].map((load) => load()));
  const probe = schemaAt(schemaOf('ChaosEngine'), ['spec', 'experiments', '[]', 'spec', 'probe', '[]']);
  return new Map([
    [new URL('faults.ts', FOLDER), faultsText(faults)],
    [new URL('catalogue.json', FOLDER), catalogueText(faults)],
    [new URL('probes.ts', FOLDER), probesText(probe)],
    [new URL('measurements.ts', FOLDER), measurementsText(schemaAt(schemaOf('ChaosResult'), ['status']))],
  ]);
}

function schemaOf(kind: string): StructuralSchema {
  const definition = chaosDefinitions().find(({ spec }) => spec.names.kind === kind);
  const schema = definition?.spec.versions[0]?.schema.openAPIV3Schema;
  if (schema === undefined) throw new Error(`there is no definition of ${kind}`);
  return schema;
}

if (import.meta.main) {
  for (const [file, text] of await currentFiles()) {
    await writeFile(file, text);
    process.stdout.write(`${relative(process.cwd(), fileURLToPath(file))}\n`);
  }
}
