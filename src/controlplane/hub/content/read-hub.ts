import type { Chart, FaultDetails, PredefinedExperimentList } from '../../schema/generated/types.ts';
import type { HubFolder } from './hub-folder.ts';
import { readChart } from './read-chart.ts';

const FAULTS = 'faults';
const EXPERIMENTS = 'experiments';
/** Folder of pictures, in a category and beside the experiments. */
const ICONS = 'icons';

/** Number of faults and experiments of a hub. */
export interface HubTotals {
  readonly faults: number;
  readonly experiments: number;
}

/** Counts the contents of a hub without reading files. */
export async function hubTotals(hub: HubFolder): Promise<HubTotals> {
  const categories = await hub.folders(FAULTS);
  const counts = await Promise.all(
    categories.map(async (category) => (await faultsOf(hub, category)).length),
  );
  return {
    faults: counts.reduce((sum, count) => sum + count, 0),
    experiments: (await experimentsOf(hub)).length,
  };
}

/** The categories of a hub with their faults. */
export async function readCharts(hub: HubFolder): Promise<Chart[]> {
  const categories = await hub.folders(FAULTS);
  return Promise.all(
    categories.map(async (category) =>
      readChart({
        category,
        catalogue: await hub.text(FAULTS, category, `${category}.chartserviceversion.yaml`),
        packaged: await hub.text(FAULTS, category, `${category}.package.yaml`),
        faults: await faultsOf(hub, category),
      }),
    ),
  );
}

/** The files of a fault, each empty if missing; undefined if the fault does not exist. */
export async function readFault(
  hub: HubFolder,
  category: string,
  name: string,
): Promise<FaultDetails | undefined> {
  const text = async (file: string): Promise<string> => (await hub.text(FAULTS, category, name, file)) ?? '';
  const [fault, engine, csv] = await Promise.all([
    text('fault.yaml'),
    text('engine.yaml'),
    text(`${name}.chartserviceversion.yaml`),
  ]);
  return fault === '' && engine === '' && csv === '' ? undefined : { fault, engine, csv };
}

/** The named experiments of a hub, or all; without those that have no manifest. */
export async function readExperiments(
  hub: HubFolder,
  names?: readonly string[],
): Promise<PredefinedExperimentList[]> {
  const wanted = names ?? (await experimentsOf(hub));
  const found = await Promise.all(wanted.map((name) => readExperiment(hub, name)));
  return found.filter((one) => one !== undefined);
}

async function readExperiment(hub: HubFolder, name: string): Promise<PredefinedExperimentList | undefined> {
  const experimentManifest = await hub.text(EXPERIMENTS, name, 'experiment.yaml');
  if (experimentManifest === undefined) return undefined;
  const experimentCSV = (await hub.text(EXPERIMENTS, name, `${name}.chartserviceversion.yaml`)) ?? '';
  return { experimentName: name, experimentCSV, experimentManifest };
}

/** A picture, ready to serve. */
interface HubIcon {
  readonly type: 'image/png' | 'image/svg+xml';
  readonly bytes: Buffer;
}

/**
 * The picture of a fault, category or experiment. Clients of LitmusChaos request `.png`; a hub may have `.svg` instead.
 *
 * @param chart the category, or `predefined` for experiments
 */
export async function readIcon(hub: HubFolder, chart: string, name: string): Promise<HubIcon | undefined> {
  const folder = chart === 'predefined' ? [EXPERIMENTS, ICONS] : [FAULTS, chart, ICONS];
  const stem = name.replace(/\.(?:png|svg)$/i, '');
  const png = await hub.bytes(...folder, `${stem}.png`);
  if (png !== undefined) return { type: 'image/png', bytes: png };
  const svg = await hub.bytes(...folder, `${stem}.svg`);
  return svg && { type: 'image/svg+xml', bytes: svg };
}

async function faultsOf(hub: HubFolder, category: string): Promise<string[]> {
  return (await hub.folders(FAULTS, category)).filter((name) => name !== ICONS);
}

async function experimentsOf(hub: HubFolder): Promise<string[]> {
  return (await hub.folders(EXPERIMENTS)).filter((name) => name !== ICONS);
}
