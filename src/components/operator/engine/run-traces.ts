import type { KubeClient } from '@turnsole/kube/client/types';
import { CHAOS_RESULTS, type ChaosEngine, type ChaosResult, LABEL_CHAOS_UID } from '../../../api/index.ts';
import type { TraceSender } from '../../../process/traces/trace-sender.ts';

/** Sends the trace of each run that is over: that of the whole run, as engine and results have kept it. */
export function sendsTraces(client: KubeClient, sender: TraceSender): (engine: ChaosEngine) => void {
  return (engine) =>
    sender.add(async () => {
      const { runSpans } = await import('../../../chaos/spans/run-spans.ts');
      const { namespace = '', uid = '' } = engine.metadata;
      const labelSelector = `${LABEL_CHAOS_UID}=${uid}`;
      const { items } = await client.list<ChaosResult>(CHAOS_RESULTS, { namespace, labelSelector });
      return runSpans(engine, items, engine.status?.runId ?? '');
    });
}
