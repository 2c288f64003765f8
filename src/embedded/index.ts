/** The embedded cluster as Turnsole starts it: with the kinds of chaos and workflows, and the checks that the webhook does elsewhere. */

import { isWorthTrying } from '@turnsole/cluster/rootless/why-not';
import { type ChaosCluster, type ChaosClusterOptions, startHere } from './start-here.ts';

export type { ChaosCluster } from './start-here.ts';

/**
 * As `startEmbeddedCluster`, which knows none of this. An ordinary user's cluster is started in a process of its own, which is root of
 * namespaces of its own, where the machine has that and pods are to be isolated.
 */
export async function startChaosCluster(options: ChaosClusterOptions = {}): Promise<ChaosCluster> {
  const { isolation = 'auto', runtime = 'process' } = options;
  const isSimulated = runtime !== 'process';
  // A store that is given lives in this process.
  if (options.imageStore !== undefined) return startHere(options);
  const { platform } = process;
  if (!isWorthTrying({ platform, uid: process.getuid?.(), isolation, isSimulated }))
    return startHere(options);
  const { startRootless } = await import('./rootless/start-rootless.ts');
  const outcome = await startRootless(options);
  return 'missing' in outcome ? startHere(options, { notRootless: outcome.missing }) : outcome;
}
