import { NodeError } from '../../experiment/node/index.ts';
import { kernelQueues } from './queue.ts';
import type { PacketEffect } from './tc-plan.ts';

/** Keeps an effect that needs netem, or refuses it by the name of the kernel's module. @throws NodeError */
export async function needNetem(
  fault: string,
  effect: PacketEffect,
  signal: AbortSignal,
): Promise<PacketEffect> {
  if (await kernelQueues.has('netem', signal)) return effect;
  throw new NodeError(
    `cannot inject ${fault}: the kernel of this node has no netem queue (module sch_netem, CONFIG_NET_SCH_NETEM); install ` +
      'it (Debian: linux-image-amd64, Red Hat: kernel-modules-extra) or choose a node that has it',
  );
}

/** `<value>% [<correlation>%]`, as netem reads shares. Pure. */
export function share(percent: number, correlation: number): string {
  return correlation > 0 ? `${percent}% ${correlation}%` : `${percent}%`;
}

/** Packets a netem queue may hold: its own default of 1000 would lose some of a fast stream that is only to be late. */
export const NETEM_LIMIT = 20_000;
