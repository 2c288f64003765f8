import type { Noun } from '../access/noun.ts';
import { auditNoun } from '../audit/index.ts';
import { clusterNoun } from '../cluster/index.ts';
import type { ObservedCluster } from '../cluster/observed-cluster.ts';
import { withWatchedRuns } from '../cluster/watched-runs.ts';
import { environmentNoun } from '../environment/index.ts';
import { experimentNoun } from '../experiment/index.ts';
import { gitopsNoun } from '../gitops/index.ts';
import { haltNoun } from '../halt/index.ts';
import { hubNoun } from '../hub/index.ts';
import { infraNoun } from '../infra/index.ts';
import { metricsNoun } from '../metrics/index.ts';
import { notificationNoun } from '../notification/index.ts';
import { probeNoun } from '../probe/index.ts';
import { projectNoun } from '../project/index.ts';
import { registryNoun } from '../registry/index.ts';
import { runNoun } from '../run/index.ts';
import type { ClusterTerminal } from '../schema/generated/types.ts';
import { userNoun } from '../user/index.ts';
import { healthNoun } from './health.ts';
import { type SignInLink, signInLinkNoun } from './sign-in-link.ts';

/** All nouns of the control plane. */
const NOUNS: readonly Noun[] = [
  healthNoun,
  userNoun,
  projectNoun,
  auditNoun,
  notificationNoun,
  environmentNoun,
  hubNoun,
  infraNoun,
  registryNoun,
  probeNoun,
  runNoun,
  metricsNoun,
  experimentNoun,
  haltNoun,
  gitopsNoun,
];

/** Additional parts of a server for one person. */
export interface PersonalParts {
  /** The cluster that the server watches itself. */
  readonly cluster?: ObservedCluster;
  readonly link?: SignInLink;
  readonly terminal?: ClusterTerminal;
}

/** All of them. */
export function allNouns({ cluster, link, terminal }: PersonalParts = {}): readonly Noun[] {
  const nouns = cluster === undefined ? NOUNS : withWatchedRuns(NOUNS, cluster);
  return [...nouns, clusterNoun(cluster, terminal), signInLinkNoun(link)];
}
