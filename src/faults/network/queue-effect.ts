import type { InjectionEffect } from '../../api/index.ts';
import type { QueueCount } from './queue-count.ts';
import type { PacketEffect } from './tc-plan.ts';

/**
 * The effect by the queue that hits packets: the kernel counts each packet that reaches it. Pure.
 *
 * @param effect as it was planned; the queue may be another kind that stands in for it
 */
export function queueEffect(effect: PacketEffect, queue: QueueCount): InjectionEffect {
  const { kind, sent, dropped, overlimits, waiting } = queue;
  const met = sent + dropped + waiting;
  if (kind === 'blackhole') return dropped > 0 ? lost(dropped) : { seen: false, message: NOTHING_LOST };
  if (met === 0) return { seen: false, message: NOTHING_MET };
  if (kind === 'tbf') {
    return overlimits + dropped + waiting > 0
      ? {
          seen: true,
          message: `${packets(met)} met the rate limit, which held them up ${overlimits} times and lost ${dropped}`,
        }
      : { seen: false, message: `${packets(met)} left below the rate limit; none had to wait` };
  }
  if (effect.kind === 'loss') {
    return dropped > 0
      ? lost(dropped)
      : { seen: false, message: `${packets(met)} could have been lost, and none was` };
  }
  return { seen: true, message: `${packets(met)} hit` };
}

/** Why an effect changes nothing whatever is sent; undefined where it does. Pure. */
export function idleEffect(effect: PacketEffect): string | undefined {
  switch (effect.kind) {
    case 'delay':
      return effect.delayMs === 0 && effect.jitterMs === 0
        ? 'NETWORK_LATENCY is 0 ms, as is JITTER, so that no packet is later'
        : undefined;
    case 'loss':
    case 'corrupt':
    case 'duplicate':
      return effect.percent === 0 ? 'the percentage is 0, so that no packet is hit' : undefined;
    default:
      return undefined;
  }
}

const NOTHING_MET =
  'no packet that is meant was sent; check NETWORK_INTERFACE, DESTINATION_IPS, DESTINATION_HOSTS and the ports, and whether the pod talks to them';
const NOTHING_LOST =
  'no packet was lost: none that is meant was sent, or too few for the percentage; check NETWORK_INTERFACE, DESTINATION_IPS, ' +
  'DESTINATION_HOSTS and the ports, and whether the pod talks to them';

function lost(number: number): InjectionEffect {
  return { seen: true, message: `${packets(number)} lost` };
}

function packets(number: number): string {
  return `${number} packet${number === 1 ? '' : 's'}`;
}
