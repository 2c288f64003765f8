import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeClient } from '@turnsole/kube/client/types';
import { EVENTS } from '@turnsole/kube/kinds/resources';
import { endlessExperiment, engineOf, startStandIn } from '../../../test/support/stand-in-cluster.ts';
import { startOperator } from './start-operator.ts';

/** The client with Events that are written only when they may be. */
function withSlowEvents(client: KubeClient, mayWrite: Promise<void>): KubeClient {
  const create: KubeClient['create'] = async (resource, object, options) => {
    if (resource.plural === EVENTS.plural) await mayWrite;
    return client.create(resource, object, options);
  };
  return new Proxy(client, {
    get: (target, property) => {
      if (property === 'create') return create;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

test('operator: its work ends before its Events are written, and none is lost', async (context) => {
  const cluster = await startStandIn(context, { operator: false, experiment: endlessExperiment });
  await cluster.experiment('pod-delete');
  const gate = Promise.withResolvers<void>();
  const operator = await startOperator({ client: withSlowEvents(cluster.client, gate.promise) });
  await cluster.apply(engineOf('web', ['pod-delete']));
  await cluster.engine('web', ({ status }) => status?.experiments?.[0]?.status === 'Running');

  await operator.stopWork();
  await cluster.patch('web', { spec: { engineState: 'stop' } });
  let isStopped = false;
  const stopped = operator.stop().then(() => {
    isStopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isStopped, false, 'an Event waits');
  gate.resolve();
  await stopped;
  await cluster.events('web', 'ChaosEngineInitialized');
  const { status } = await cluster.engine('web', () => true);
  assert.equal(status?.engineStatus, 'initialized', 'no operator works any more');
});
