import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from '@turnsole/cluster';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import type { Place } from './hold.ts';
import type { Kubectl } from './kubectl.ts';

/** The embedded cluster as a place to talk to. `await using` closes it. */
export interface EmbeddedPlace extends AsyncDisposable {
  readonly place: Place;
}

/** Starts an embedded cluster with one node; its catalogue has the image of the conversations. */
export async function openEmbedded(kubectl: Kubectl): Promise<EmbeddedPlace> {
  const cluster = await startCluster({
    // The recorded cluster has no metrics server.
    hasUsage: false,
    images: { 'rig.local/node': { entrypoint: [], args: ['node'] } },
  });
  const cache = mkdtempSync(join(tmpdir(), 'turnsole-kubectl-cache-'));
  const { client, kubeconfig, server } = cluster;
  return {
    place: { client, kubeconfig, server, node: 'turnsole-1', kubectl, cache, limitMs: PATIENCE_MS },
    [Symbol.asyncDispose]: async () => {
      await cluster.close({ graceMs: 500 });
      rmSync(cache, { recursive: true, force: true });
    },
  };
}
