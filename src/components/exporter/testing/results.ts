/** Results and engines as they lie in a cluster, for tests and benchmarks. */

import type { KubeClient } from '@turnsole/kube/client/types';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  LABEL_RUN_ID,
} from '../../../api/index.ts';

/** The members of a result that a test sets; the rest is usual. */
export interface ResultShape {
  readonly name?: string;
  readonly engine?: string;
  readonly experiment?: string;
  readonly verdict?: string;
  readonly percentage?: string;
  readonly runs?: readonly [passed: number, failed: number, stopped: number];
  readonly runId?: string;
  /** Taken over into the status as it is. */
  readonly status?: object;
}

/** A result of an engine. */
export function resultOf(shape: ResultShape = {}): ChaosResult {
  const { engine = 'web', experiment = 'pod-delete', verdict = 'Awaited', percentage = 'Awaited' } = shape;
  const { name = `${engine}-${experiment}`, runs = [0, 0, 0], runId = 'run-1', status = {} } = shape;
  const [passedRuns, failedRuns, stoppedRuns] = runs;
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosResult',
    metadata: { name, labels: { [LABEL_RUN_ID]: runId } },
    spec: { engine, experiment },
    status: {
      experimentStatus: {
        phase: verdict === 'Awaited' ? 'Running' : 'Completed',
        verdict: verdict as 'Pass',
        probeSuccessPercentage: percentage,
      },
      history: { passedRuns, failedRuns, stoppedRuns },
      ...status,
    },
  };
}

/** An engine with the labels that series take from it. */
export function engineOf(name = 'web'): ChaosEngine {
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name, labels: { context: `${name}_default`, workflow_name: 'nightly' } },
    spec: {
      appinfo: { appns: 'default', applabel: `app=${name}`, appkind: 'deployment' },
      experiments: [{ name: 'pod-delete' }],
    },
  };
}

/** Writes the whole of a result, as its experiment would. */
export async function store(client: KubeClient, namespace: string, result: ChaosResult): Promise<void> {
  const place = { namespace };
  const { name } = result.metadata;
  const present = await client.find<ChaosResult>(CHAOS_RESULTS, name, place);
  if (present === undefined) await client.create(CHAOS_RESULTS, result, place);
  else {
    const { resourceVersion } = present.metadata;
    const metadata = { ...result.metadata, resourceVersion };
    await client.update(CHAOS_RESULTS, { ...result, metadata }, place);
  }
}

/** Stores an engine. */
export async function storeEngine(
  client: KubeClient,
  namespace: string,
  engine: ChaosEngine,
): Promise<ChaosEngine> {
  return client.create<ChaosEngine>(CHAOS_ENGINES, engine, { namespace });
}
