/** Writes the default hub. Run it as `npm run generate` after a change of a fault, of its settings, or of the samples. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { faultRegistry } from '../../faults/index.ts';
import { PACKAGE_ROOT } from '../../process/package-root.ts';
import { packageVersion } from '../../process/version.ts';
import { IMAGE_REPOSITORY } from '../../services/install/settings.ts';
import { hubFiles } from './hub-files.ts';

/** Place of the hub. */
export const HUB = join(PACKAGE_ROOT, 'deploy', 'hub');

/** The hub as it has to be now. */
export async function currentHub(): Promise<ReturnType<typeof hubFiles>> {
  const faults = await Promise.all([...faultRegistry.values()].map((load) => load()));
  return hubFiles(faults, `${IMAGE_REPOSITORY}:${packageVersion()}`);
}

if (import.meta.main) {
  const files = await currentHub();
  // A fault that is no more leaves no chart.
  await rm(HUB, { recursive: true, force: true });
  for (const { path, content } of files) {
    const target = join(HUB, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  }
  process.stdout.write('deploy/hub\n');
}
