import { integer } from '../../experiment/injection/settings/declare.ts';
import { DELAYED_CONNECTIONS, delayed } from '../intercept/delayed-connections.ts';
import { CORRELATION, NETWORK_TUNABLES, networkFault } from './network-fault.ts';
import type { PacketSelection } from './packet-filter.ts';
import { kernelHasQueue } from './queue.ts';
import type { PacketEffect } from './tc-plan.ts';

const tunables = {
  ...NETWORK_TUNABLES,
  NETWORK_LATENCY: integer(
    { default: 2000, minimum: 0, maximum: 3_600_000, unit: 'milliseconds' },
    'How much later packets leave the pod.',
  ),
  JITTER: integer(
    { default: 0, minimum: 0, maximum: 3_600_000, unit: 'milliseconds' },
    'How far the delay of a packet may be from NETWORK_LATENCY, either way.',
  ),
  CORRELATION,
  OPEN_CONNECTIONS: {
    ...DELAYED_CONNECTIONS,
    description: `Only on kernels without netem, where proxies delay new connections. ${DELAYED_CONNECTIONS.description}`,
  },
} as const;

/** Delays the packets that leave a pod. See {@link networkFault} for what is touched and how it is undone. */
export default networkFault<typeof tunables>({
  name: 'pod-network-latency',
  summary: 'Delays the packets that leave pods of an application.',
  tunables,
  effect: ({ NETWORK_LATENCY, JITTER, CORRELATION: correlation, OPEN_CONNECTIONS }) => ({
    kind: 'delay',
    delayMs: NETWORK_LATENCY,
    jitterMs: JITTER,
    correlation,
    open: delayed(OPEN_CONNECTIONS, NETWORK_LATENCY, 100),
  }),
  proxied: true,
  adapt,
});

/** Without netem, proxies in front of the pod's TCP servers delay what these send. */
async function adapt(
  effect: PacketEffect,
  signal: AbortSignal,
  selection: PacketSelection,
): Promise<PacketEffect> {
  if (effect.kind !== 'delay' || (await kernelHasQueue('netem', signal))) return effect;
  const { assertProxyCan } = await import('./tcp-latency.ts');
  assertProxyCan(selection, effect.jitterMs);
  return { kind: 'proxy', delayMs: effect.delayMs, open: effect.open };
}
