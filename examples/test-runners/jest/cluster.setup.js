/** One cluster for all files, on which chaos can be run. */
import { shareCluster } from '@turnsole/cluster/testing';
import { withChaos } from 'turnsole';

export default async function setup() {
  globalThis.cluster = await shareCluster(await withChaos({ nodes: 2 }));
}
