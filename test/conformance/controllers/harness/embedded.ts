import { createClient } from '@turnsole/kube/client/index';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { startChaosCluster } from '../../../../src/embedded/index.ts';
import type { LabCluster } from './lab.ts';

/** The embedded cluster for the replay of scenarios. */
export interface EmbeddedLab {
  readonly cluster: LabCluster;
  stop(): Promise<void>;
}

/** Starts an embedded cluster with one node; its catalogue has the image of the scenarios. */
export async function startEmbeddedLab(options: { readonly limitMs?: number } = {}): Promise<EmbeddedLab> {
  const embedded = await startChaosCluster({
    images: new Map([['rig.local/node', { entrypoint: [], args: ['node'] }]]),
  });
  const client = createClient(embedded.adminConfig);
  return {
    cluster: { client, node: 'turnsole-1', limitMs: options.limitMs ?? PATIENCE_MS },
    stop: async () => {
      client.close();
      await embedded.close({ graceMs: 500 });
    },
  };
}
