/** The embedded cluster in this process. */

import { startEmbeddedCluster } from '@turnsole/cluster/cluster/start';
import type { EmbeddedCluster, EmbeddedClusterOptions } from '@turnsole/cluster/cluster/types';
import type { MachineLacks } from '../chaos/machine-lacks.ts';
import { complain } from '../process/complain.ts';
import { chaosOptions } from './chaos-options.ts';
import { withRealComponents } from './real-components.ts';

/** How it is started: what Turnsole adds is not for the caller to say. */
export type ChaosClusterOptions = Pick<
  EmbeddedClusterOptions,
  | 'dataDir'
  | 'port'
  | 'nodes'
  | 'runtime'
  | 'nodeLabels'
  | 'nodeGraceMs'
  | 'metricsIntervalMs'
  | 'isolation'
  | 'images'
  | 'imageStore'
  | 'signal'
>;

/** A running embedded cluster on which chaos can be run. */
export interface ChaosCluster extends EmbeddedCluster {
  /** What of this machine faults may need and it lacks; its nodes say the same. */
  readonly lacks: MachineLacks;
  /** Whether its nodes have the rights and the network of this process. */
  readonly isHere: boolean;
  /** The images that run Turnsole's code here (TURNSOLE_KNOWN_IMAGES). */
  readonly knownImages: readonly string[];
  /** Resolves, with how, when the process of a cluster that has one of its own ended although nobody closed it; absent in this process. */
  readonly lost?: Promise<string>;
}

/** Starts it in this process. @param place what is to be said of where this process is */
export async function startHere(
  options: ChaosClusterOptions,
  place: Pick<EmbeddedClusterOptions, 'outside' | 'notRootless'> = {},
  onProblem: (message: string) => void = complain,
): Promise<ChaosCluster> {
  const { images: userImages = new Map(), runtime } = options;
  const { options: ofChaos, knownImages, lacksOf } = chaosOptions(userImages.keys());
  const cluster = await startEmbeddedCluster({
    ...options,
    ...place,
    ...ofChaos,
    runtime: withRealComponents(runtime),
    images: new Map([...ofChaos.images, ...userImages]),
    onProblem,
  });
  return { ...cluster, lacks: lacksOf(cluster.notIsolated), isHere: true, knownImages };
}
