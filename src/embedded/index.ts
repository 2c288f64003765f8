/** The embedded cluster as Turnsole starts it: with the kinds of chaos and workflows, and the checks that the webhook does elsewhere. */
import { CUSTOM_RESOURCES } from '../api/crds.ts';
import { CHAOS_SCHEDULES, EVENT_TRACKER_POLICIES } from '../api/resources.ts';
import { WORKFLOW_DEFINITIONS } from '../api/workflow-definitions.ts';
import { type EmbeddedCluster, type EmbeddedClusterOptions, startEmbeddedCluster } from '../local/index.ts';
import { judgeWrite } from './judge-write.ts';

/** As `startEmbeddedCluster`, which knows none of these kinds. */
export function startChaosCluster(
  options: Omit<EmbeddedClusterOptions, 'definitions' | 'judges'> = {},
): Promise<EmbeddedCluster> {
  return startEmbeddedCluster({
    ...options,
    definitions: [...CUSTOM_RESOURCES.map(({ definition }) => definition), ...WORKFLOW_DEFINITIONS],
    judges: [CHAOS_SCHEDULES, EVENT_TRACKER_POLICIES].map((resource) => ({ resource, judge: judgeWrite })),
  });
}
