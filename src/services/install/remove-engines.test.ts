/** What `turnsole uninstall` does with engines, with an operator and without, against the embedded API server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import {
  endlessExperiment,
  engineOf,
  NAMESPACE,
  startStandIn,
} from '../../../test/support/stand-in-cluster.ts';
import { CHAOS_ENGINES, type ChaosEngine } from '../../api/index.ts';
import { startOperator } from '../../components/operator/start-operator.ts';
import { removeEngines } from './remove-engines.ts';

const isRunning = ({ status }: ChaosEngine): boolean => status?.experiments?.[0]?.status === 'Running';

for (const operatorIsReady of [true, false]) {
  for (const keep of [false, true]) {
    const how = `${operatorIsReady ? 'with' : 'without'} an operator, engines ${keep ? 'kept' : 'removed'}`;
    test(`remove engines: ${how}`, async (context) => {
      const cluster = await startStandIn(context, { operator: false, experiment: endlessExperiment });
      const { client } = cluster;
      const operator = await startOperator({ client });
      context.after(() => operator.stop());
      await cluster.experiment('pod-delete');
      await cluster.apply(engineOf('web', ['pod-delete']));
      await cluster.engine('web', isRunning);
      if (!operatorIsReady) await operator.stop();
      const left = await removeEngines({
        client,
        clock: systemClock,
        namespace: undefined,
        keep,
        operatorIsReady,
        // An operator at work is given its time, however busy the machine is.
        patienceMs: operatorIsReady ? PATIENCE_MS : 300,
        timeoutMs: PATIENCE_MS,
        signal: new AbortController().signal,
        say: () => {},
      });
      assert.deepEqual(left, operatorIsReady ? [] : ['default/web']);
      assert.deepEqual([await cluster.pods(), await cluster.jobs()], [[], []]);
      const engine = await client.find<ChaosEngine>(CHAOS_ENGINES, 'web', { namespace: NAMESPACE });
      assert.equal(engine !== undefined, keep);
      if (engine !== undefined) {
        assert.deepEqual([engine.spec.engineState, engine.metadata.finalizers ?? []], ['stop', []]);
      }
    });
  }
}
