/** The embedded cluster as Turnsole starts it: with the kinds of chaos and workflows, and the checks that the webhook does elsewhere. */

import { startEmbeddedCluster } from '@turnsole/cluster/cluster/start';
import type { EmbeddedCluster, EmbeddedClusterOptions } from '@turnsole/cluster/cluster/types';
import type { MachineLacks } from '../chaos/machine-lacks.ts';
import { complain } from '../process/complain.ts';
import { chaosOptions } from './chaos-options.ts';
import { withRealComponents } from './real-components.ts';

/** How it is started: what Turnsole adds is not for the caller to say. */
type ChaosClusterOptions = Pick<
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
  /** The images that run Turnsole's code here (TURNSOLE_KNOWN_IMAGES). */
  readonly knownImages: readonly string[];
}

/** As `startEmbeddedCluster`, which knows none of this. */
export async function startChaosCluster(options: ChaosClusterOptions = {}): Promise<ChaosCluster> {
  const { images: userImages = new Map(), runtime } = options;
  const { options: ofChaos, knownImages, lacksOf } = chaosOptions(userImages.keys());
  const cluster = await startEmbeddedCluster({
    ...options,
    ...ofChaos,
    runtime: withRealComponents(runtime),
    images: new Map([...ofChaos.images, ...userImages]),
    onProblem: complain,
  });
  return { ...cluster, lacks: lacksOf(cluster.notIsolated), knownImages };
}
