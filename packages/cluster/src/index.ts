/** The embedded cluster. See README.md. */

export { startEmbeddedCluster } from './cluster/start.ts';
export type { EmbeddedCluster, EmbeddedClusterOptions } from './cluster/types.ts';
export type { ImageEntry } from './node/images/image-entry.ts';
export type { SimulatedRun, SimulationRule } from './node/simulated/plan.ts';
