/** One cluster for all files, on which chaos can be run. */
import type { Cluster } from '@turnsole/cluster';
import { shareCluster } from '@turnsole/cluster/testing';
import { withChaos } from 'turnsole';

let cluster: Cluster;

export async function setup(): Promise<void> {
  cluster = await shareCluster(await withChaos({ nodes: 2 }));
}

export async function teardown(): Promise<void> {
  await cluster.close();
}
