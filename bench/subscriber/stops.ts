import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { CHAOS_ENGINES } from '../../src/api/resources.ts';
import type { TestControlPlane } from '../../src/components/subscriber/testing/control-plane.ts';
import { INFRA_ID } from '../../src/components/subscriber/testing/infrastructure.ts';

const LIMIT_MS = 60_000;

/** Stops runs one after the other. @returns milliseconds from the sending of each action to the stored stop of its engine */
export async function measureStops(
  client: KubeClient,
  server: TestControlPlane,
  namespace: string,
  names: readonly string[],
): Promise<number[]> {
  const place = { namespace };
  const times: number[] = [];
  for (const name of names) {
    const { metadata } = await client.create<KubeObject>(WORKFLOWS, workflow(name), place);
    await client.create<KubeObject>(CHAOS_ENGINES, engine(name, metadata.uid ?? ''), place);
    const isStopped = (object: KubeObject | undefined): boolean =>
      (object as { readonly spec?: { readonly engineState?: string } } | undefined)?.spec?.engineState ===
      'stop';
    const stopped = waitForObject<KubeObject>(client, CHAOS_ENGINES, name, isStopped, {
      ...place,
      timeoutMs: LIMIT_MS,
    });
    const startedAt = performance.now();
    server.act({ requestType: 'workflow_run_stop', requestID: name, externalData: metadata.uid });
    await stopped;
    times.push(performance.now() - startedAt);
  }
  return times;
}

/** Labels by which a Workflow is a run of the infrastructure. */
export function runLabels(name: string): Readonly<Record<string, string>> {
  return {
    infra_id: INFRA_ID,
    'workflows.argoproj.io/controller-instanceid': INFRA_ID,
    workflow_id: `experiment-${name}`,
  };
}

function workflow(name: string): never {
  const labels = runLabels(name);
  // Fields are free in the definitions of this benchmark.
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name, labels },
    spec: {},
  } as never;
}

function engine(name: string, uid: string): never {
  const metadata = { name, labels: { workflow_run_id: uid } };
  const spec = { engineState: 'active' };
  return { apiVersion: 'litmuschaos.io/v1alpha1', kind: 'ChaosEngine', metadata, spec } as never;
}
