import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunReport } from '../../src/services/report/model.ts';
import { documents } from './manifests.ts';
import { type CommandOutcome, temporaryFolder, turnsole } from './turnsole.ts';

/** `turnsole run` of manifests given as text; returns how the command ended and its JSON report. */
export async function runManifests(
  texts: readonly string[],
  args: readonly string[] = [],
): Promise<CommandOutcome & { report?: RunReport; junit?: string }> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'chaos.yaml');
  const json = join(folder.path, 'report.json');
  const junit = join(folder.path, 'junit.xml');
  await writeFile(file, documents(...texts));
  const outcome = await turnsole(['run', file, '--json', json, '--junit', junit, ...args]);
  const report = await readFile(json, 'utf8').then(JSON.parse, () => undefined);
  return { ...outcome, report, junit: await readFile(junit, 'utf8').catch(() => undefined) };
}
