/** Chaos in a test of Vitest: in a namespace of its own, on the cluster of `cluster.setup.ts`. */
import { readFile } from 'node:fs/promises';
import { useCluster } from '@turnsole/cluster/testing';
import { DEPLOYMENTS } from '@turnsole/kube';
import { httpProbe, podDelete, runChaos } from 'turnsole';
import { afterAll, expect, test } from 'vitest';

const cluster = await useCluster();
afterAll(() => cluster.close());

test('the service answers while its pods are deleted', async ({ signal }) => {
  await using space = await cluster.namespace();
  await space.apply(await readFile(new URL('../../as-code/app.yaml', import.meta.url), 'utf8'));
  await space.waitFor(DEPLOYMENTS, 'web', 'Available');
  const answers = httpProbe({
    name: 'web-answers',
    url: `http://web.${space.name}.svc.cluster.local:8080/`,
    method: { get: { criteria: '==', responseCode: '200' } },
    every: '500ms',
    attempts: 3,
    pause: '200ms',
  });
  const deletion = podDelete({
    target: 'deployment/web',
    duration: '6s',
    interval: '3s',
    podsAffected: '34%',
    probes: [answers],
  });
  const result = await runChaos(space, deletion, { namespace: space.name, signal });
  expect(result).toMatchObject({ verdict: 'Pass', probes: [{ name: 'web-answers', verdict: 'Passed' }] });
  expect(result.injections.length).toBeGreaterThan(0);
});
