import { NETEM_LIMIT } from './netem.ts';
import { CORRELATION, NETWORK_TUNABLES, networkFault } from './network-fault.ts';
import type { PacketSelection } from './packet-filter.ts';
import { kernelQueues } from './queue.ts';
import type { PacketEffect } from './tc-plan.ts';

const tunables = {
  ...NETWORK_TUNABLES,
  NETWORK_LATENCY: {
    type: 'integer',
    default: 2000,
    minimum: 0,
    maximum: 3_600_000,
    unit: 'milliseconds',
    description: 'How much later packets leave the pod.',
  },
  JITTER: {
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 3_600_000,
    unit: 'milliseconds',
    description: 'How far the delay of a packet may be from NETWORK_LATENCY, either way.',
  },
  CORRELATION,
} as const;

/** Delays the packets that leave a pod. See {@link networkFault} for what is touched and how it is undone. */
export default networkFault<typeof tunables>({
  name: 'pod-network-latency',
  summary: 'Delays the packets that leave pods of an application.',
  tunables,
  effect: ({ NETWORK_LATENCY, JITTER, CORRELATION: correlation }) => ({
    kind: 'netem',
    args: [
      `limit ${NETEM_LIMIT} delay ${NETWORK_LATENCY}ms`,
      ...(JITTER > 0 ? [`${JITTER}ms`] : []),
      ...(JITTER > 0 && correlation > 0 ? [`${correlation}%`] : []),
    ].join(' '),
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
  if (await kernelQueues.has('netem', signal)) return effect;
  const [, delay, jitter] = /delay (\d+)ms(?: (\d+)ms)?/.exec('args' in effect ? effect.args : '') ?? [];
  const { assertProxyCan } = await import('./tcp-latency.ts');
  assertProxyCan(selection, Number(jitter ?? 0));
  return { kind: 'proxy', delayMs: Number(delay ?? 0) };
}
