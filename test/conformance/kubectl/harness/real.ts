import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import { NODES } from '@turnsole/kube/kinds/resources';
import type { Place } from './hold.ts';
import type { Kubectl } from './kubectl.ts';

/** What a real cluster may take for one line: an image is there, but garbage is collected in the end. */
const LIMIT_MS = 120_000;

/** A real cluster as a place to talk to. `await using` closes its client. */
export interface RealPlace extends AsyncDisposable {
  readonly place: Place;
  /** `v1.36.3`. */
  readonly version: string;
}

/**
 * Connects to the cluster of a kubeconfig.
 *
 * @throws Error when it has not exactly one node: what is recorded is one node's
 */
export async function openReal(kubeconfig: string, kubectl: Kubectl): Promise<RealPlace> {
  const config = await loadKubeconfig({ path: kubeconfig });
  const client = createClient(config);
  const cache = mkdtempSync(join(tmpdir(), 'turnsole-kubectl-cache-'));
  const close = async (): Promise<void> => {
    client.close();
    rmSync(cache, { recursive: true, force: true });
  };
  try {
    const { items } = await client.list(NODES);
    const [node] = items;
    if (node === undefined || items.length > 1) {
      throw new Error(
        `the cluster of ${kubeconfig} has ${items.length} nodes; conversations are recorded on one`,
      );
    }
    const { gitVersion } = await client.raw<{ gitVersion: string }>('GET', '/version');
    const place = {
      client,
      kubeconfig,
      server: config.server,
      node: node.metadata.name,
      kubectl,
      cache,
      limitMs: LIMIT_MS,
    };
    return { place, version: gitVersion, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}
