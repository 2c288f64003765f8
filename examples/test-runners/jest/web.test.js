/** Chaos in a test of Jest: in a namespace of its own, on the cluster of `cluster.setup.js`. */
import { readFile } from 'node:fs/promises';
import { afterAll, expect, test } from '@jest/globals';
import { useCluster } from '@turnsole/cluster/testing';
import { DEPLOYMENTS } from '@turnsole/kube';
import { podDelete, runChaos } from 'turnsole';

const cluster = await useCluster();
afterAll(() => cluster.close());

test('deleted pods come back', async () => {
  const space = await cluster.namespace();
  await space.apply(await readFile(new URL('../../as-code/app.yaml', import.meta.url), 'utf8'));
  await space.waitFor(DEPLOYMENTS, 'web', 'Available');
  const deletion = podDelete({
    target: 'deployment/web',
    duration: '4s',
    interval: '2s',
    podsAffected: '34%',
  });
  const result = await runChaos(space, deletion, { namespace: space.name });
  expect(result).toMatchObject({ verdict: 'Pass', experiments: [{ name: 'pod-delete' }] });
  await space.waitFor(DEPLOYMENTS, 'web', ({ status } = {}) => status?.readyReplicas === 3);
});
