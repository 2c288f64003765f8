import { number } from '../../experiment/injection/settings/declare.ts';
import { NodeError } from '../../experiment/node/node-error.ts';
import { CORRELATION, NETWORK_TUNABLES, networkFault } from './network-fault.ts';
import { kernelHasQueue } from './queue.ts';
import type { PacketEffect } from './tc-plan.ts';

const tunables = {
  ...NETWORK_TUNABLES,
  NETWORK_PACKET_LOSS_PERCENTAGE: number(
    { default: 100, minimum: 0, maximum: 100, range: true, unit: 'percent' },
    'Share of the packets leaving the pod that is lost.',
  ),
  CORRELATION,
} as const;

/** Loses packets that leave a pod. See {@link networkFault} for what is touched and how it is undone. */
export default networkFault<typeof tunables>({
  name: 'pod-network-loss',
  summary: 'Loses packets that leave pods of an application.',
  tunables,
  effect: ({ NETWORK_PACKET_LOSS_PERCENTAGE: percent, CORRELATION: correlation }) => ({
    kind: 'loss',
    percent,
    correlation,
  }),
  adapt,
});

/** Without netem a filter that draws a number for each packet does the same, but packets know nothing of each other. */
async function adapt(effect: PacketEffect, signal: AbortSignal): Promise<PacketEffect> {
  if (effect.kind !== 'loss' || (await kernelHasQueue('netem', signal))) return effect;
  const missing = 'the kernel of this node has no netem queue (module sch_netem, CONFIG_NET_SCH_NETEM)';
  if (effect.correlation > 0) {
    throw new NodeError(
      `cannot inject pod-network-loss: ${missing}, and without it there is no CORRELATION; leave it out or choose another node`,
    );
  }
  const [blackhole, prio, htb] = await Promise.all(
    (['blackhole', 'prio', 'htb'] as const).map((kind) => kernelHasQueue(kind, signal)),
  );
  if (blackhole !== true || (prio !== true && htb !== true)) {
    throw new NodeError(
      `cannot inject pod-network-loss: ${missing}, and none of the queues prio and htb either`,
    );
  }
  return { kind: 'drop', probability: effect.percent / 100 };
}
