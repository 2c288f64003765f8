/** The embedded cluster as Turnsole starts it: with the kinds of chaos and workflows, and the checks that the webhook does elsewhere. */

import { isAskedFor } from '@turnsole/cluster/rootless/why-not';
import { type ChaosCluster, type ChaosClusterOptions, startHere } from './start-here.ts';

export type { ChaosCluster } from './start-here.ts';

/**
 * As `startEmbeddedCluster`, which knows none of this. An ordinary user's cluster whose pods have to be isolated (`full`) is started in a
 * process of its own, which is root of namespaces of its own.
 */
export async function startChaosCluster(options: ChaosClusterOptions = {}): Promise<ChaosCluster> {
  const { isolation = 'auto', runtime = 'process' } = options;
  const isSimulated = runtime !== 'process';
  // A store that is given lives in this process.
  if (options.imageStore !== undefined) return startHere(options);
  const { platform } = process;
  if (!isAskedFor({ platform, uid: process.getuid?.(), isolation, isSimulated })) return startHere(options);
  const { startRootless } = await import('./rootless/start-rootless.ts');
  const outcome = await startRootless(options);
  return 'missing' in outcome ? startHere(options, { notRootless: outcome.missing }) : outcome;
}
