/** The embedded cluster as Turnsole starts it: with the kinds of chaos and workflows, and the checks that the webhook does elsewhere. */

import { startEmbeddedCluster } from '@turnsole/cluster/cluster/start';
import type { EmbeddedCluster, EmbeddedClusterOptions } from '@turnsole/cluster/cluster/types';
import { CUSTOM_RESOURCES } from '../api/crds.ts';
import { CHAOS_SCHEDULES, EVENT_TRACKER_POLICIES } from '../api/resources.ts';
import { WORKFLOW_DEFINITIONS } from '../api/workflow-definitions.ts';
import { JOURNAL_FOLDER, journalMark } from '../chaos/journal-folder.ts';
import { LACKS_ANNOTATION, type MachineLacks, machineLacks } from '../chaos/machine-lacks.ts';
import { complain } from '../process/complain.ts';
import { ownFeatures } from '../process/own-features.ts';
import { ownNode } from '../process/own-node.ts';
import { PACKAGE_ROOT } from '../process/package-root.ts';
import { ownImages } from './images.ts';
import { judgeWrite } from './judge-write.ts';
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
  const { images, commands, knownImages } = ownImages(userImages.keys());
  let lacks: MachineLacks | undefined;
  const lacksOf = (notIsolated: string | undefined): MachineLacks => {
    lacks ??= machineLacks({ ...ownFeatures(), notIsolated });
    return lacks;
  };
  const cluster = await startEmbeddedCluster({
    ...options,
    runtime: withRealComponents(runtime),
    images: new Map([...images, ...userImages]),
    commands,
    hostPaths: [PACKAGE_ROOT, ownNode()],
    definitions: [...CUSTOM_RESOURCES.map(({ definition }) => definition), ...WORKFLOW_DEFINITIONS],
    judges: [CHAOS_SCHEDULES, EVENT_TRACKER_POLICIES].map((resource) => ({ resource, judge: judgeWrite })),
    annotateNodes: ({ notIsolated }) => ({ [LACKS_ANNOTATION]: JSON.stringify(lacksOf(notIsolated)) }),
    journals: { folder: JOURNAL_FOLDER, mark: journalMark },
    onProblem: complain,
  });
  return { ...cluster, lacks: lacksOf(cluster.notIsolated), knownImages };
}
