import assert from 'node:assert/strict';
import { systemClock } from '@turnsole/kube/base/clock';
import type { Environment } from '@turnsole/kube/text/environment';
import type { Fault, FaultContext, Injection } from '../../../src/experiment/injection/fault.ts';
import { parseTunables } from '../../../src/experiment/injection/settings/parse-tunables.ts';
import { faultRegistry } from '../../../src/faults/index.ts';
import type { TwoNetworks } from './two-networks.ts';

/** A fault in force on a pod of two networks, as a helper would put it there. */
export interface InForce {
  readonly injection: Injection;
  readonly fault: Fault;
  readonly context: FaultContext;
  readonly revert: () => Promise<void>;
}

/** Everything that may be asked of the API server here: nothing but whether the pod is there. */
export function contextOf(podUid: string): FaultContext {
  const pod = {
    metadata: { name: 'web', namespace: 'shop', uid: podUid },
    spec: {},
    status: { phase: 'Running' },
  };
  const client = { find: () => Promise.resolve(pod), get: () => Promise.resolve(pod) };
  return {
    // Only these two of a client are called by the faults on packets.
    client: client as unknown as FaultContext['client'],
    clock: systemClock,
    random: Math.random,
    signal: new AbortController().signal,
    recoveryTimeoutMs: 1000,
    note: () => {},
  };
}

/** Plans a fault by environment variables, as for one pod of two networks. */
export async function planFor(networks: TwoNetworks, name: string, env: Environment) {
  const fault = await faultRegistry.get(name)?.();
  assert.ok(fault !== undefined);
  const { values, problems } = parseTunables(fault.tunables, env);
  assert.deepEqual(problems, []);
  const { podUid, containerId } = networks;
  const target = { kind: 'pod', namespace: 'shop', name: 'web', uid: podUid, container: 'app', node: 'n1' };
  const observed = { uid: podUid, hostNetwork: false, containerId, mesh: false };
  const [planned] = fault.plan({
    tunables: values,
    targets: [{ ...target, observed }],
    round: 0,
    random: Math.random,
  });
  assert.ok(planned !== undefined);
  const injection = { ...planned, id: `run1.r0.${planned.id}` };
  // As the ledger keeps it.
  return { fault, tunables: values, injection: JSON.parse(JSON.stringify(injection)) as Injection };
}

/** Injects a fault by environment variables. */
export async function injectInto(networks: TwoNetworks, name: string, env: Environment): Promise<InForce> {
  const { fault, tunables, injection } = await planFor(networks, name, env);
  const context = contextOf(networks.podUid);
  await fault.checkNode?.(tunables, context.signal);
  await fault.inject(injection, context);
  return { injection, fault, context, revert: () => fault.revert(injection, context) };
}
