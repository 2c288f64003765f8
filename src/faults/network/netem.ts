import { NodeError } from '../../experiment/node/node-error.ts';
import { kernelHasQueue } from './queue.ts';
import type { PacketEffect } from './tc-plan.ts';

/** Keeps an effect that needs netem, or refuses it by the name of the kernel's module. @throws NodeError */
export async function needNetem(
  fault: string,
  effect: PacketEffect,
  signal: AbortSignal,
): Promise<PacketEffect> {
  if (await kernelHasQueue('netem', signal)) return effect;
  throw new NodeError(
    `cannot inject ${fault}: the kernel of this node has no netem queue (module sch_netem, CONFIG_NET_SCH_NETEM); install ` +
      'it (Debian: linux-image-amd64, Red Hat: kernel-modules-extra) or choose a node that has it',
  );
}
