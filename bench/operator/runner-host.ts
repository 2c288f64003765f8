/**
 * A process that carries out many runs with the runner's own code, each with a client and credentials of its own, as its pod
 * would have them. It stands for the runner pods of simulated nodes; started by runners.ts, with which it speaks over IPC.
 */

import { silentLogger } from '@turnsole/kube/base/log';
import { createClient } from '@turnsole/kube/client/index';
import { runRunner } from '../../src/components/runner/run-runner.ts';
import { CallCounter } from './calls.ts';
import type { HostAnswer, HostOrder } from './runners.ts';

const stops = new Map<number, AbortController>();

process.on('message', (order: HostOrder) => {
  if (order.type === 'stop') stops.get(order.id)?.abort(new Error('SIGTERM'));
  else void run(order);
});
process.on('disconnect', () => process.exit());

async function run({ id, env, config, token }: Extract<HostOrder, { type: 'run' }>): Promise<void> {
  const stop = new AbortController();
  stops.set(id, stop);
  const calls = new CallCounter();
  const client = createClient({ ...config, token: () => token }, { onCall: calls.count });
  const code = await runRunner([], env, { client, logger: silentLogger, signal: stop.signal });
  client.close();
  stops.delete(id);
  const answer: HostAnswer = { id, code, calls: [...calls.counts] };
  process.send?.(answer);
}
