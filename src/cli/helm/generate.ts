/** Writes the Helm chart. Run it as `npm run generate` after a change of what is installed, of a fault or of a kind. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CUSTOM_RESOURCES } from '../../api/crds.ts';
import { WORKFLOW_DEFINITIONS } from '../../api/workflow-definitions.ts';
import { PACKAGE_ROOT } from '../../process/package-root.ts';
import { packageVersion } from '../../process/version.ts';
import { knownFaults, loadFaults } from '../../services/install/load-faults.ts';
import { type ChartFile, chartFiles } from './chart.ts';

/** Where the chart is stored. */
export const CHART = join(PACKAGE_ROOT, 'deploy', 'helm', 'turnsole');

/** The chart as it has to be now. */
export async function currentChart(): Promise<ChartFile[]> {
  const definitions = [...CUSTOM_RESOURCES.map(({ definition }) => definition), ...WORKFLOW_DEFINITIONS];
  return chartFiles(packageVersion(), await loadFaults(knownFaults()), definitions);
}

if (import.meta.main) {
  const files = await currentChart();
  // A fault that is no more leaves no template.
  await rm(CHART, { recursive: true, force: true });
  for (const { path, content } of files) {
    const target = join(CHART, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  }
  process.stdout.write('deploy/helm/turnsole\n');
}
