import type { MachineLacks } from '../../chaos/machine-lacks.ts';
import { describeError } from '../injection/errors.ts';
import type { Fault } from '../injection/fault.ts';
import type { TunableSchema, Tunables } from '../injection/tunables.ts';
import { checkNode } from '../node/check-node.ts';
import { NodeError } from '../node/node-error.ts';
import { obstacleTo } from '../node/obstacle.ts';

/** The machine of an embedded cluster, on which the helpers of a run would work. */
export interface LocalNode {
  readonly lacks: MachineLacks;
  /** Whether helpers there have the rights and the network of this process, so that what faults want to try can be tried. */
  readonly isHere: boolean;
  /** Whether containers of an image find /bin/sh; undefined where that is not known. Absent where nothing is known of images. */
  hasShell?(image: string): Promise<boolean | undefined>;
}

/** The fault and the machine to check. */
interface NodeObstaclesInput {
  readonly fault: Fault;
  /** Undefined when the settings have problems of their own, and nothing can be tried. */
  readonly tunables: Tunables<TunableSchema> | undefined;
  readonly node: LocalNode;
  /** Whether containers of the targets look for programs where the machine does. */
  readonly targetsShareTools: boolean;
  readonly signal: AbortSignal;
}

/** What keeps a machine from injecting a fault, each with what to do; empty when it can. Touches nothing. */
export async function nodeObstacles(input: NodeObstaclesInput): Promise<readonly string[]> {
  const { fault, tunables, node, targetsShareTools, signal } = input;
  const { targetTools = [], ...needs } = fault.needs ?? {};
  const asked = { name: fault.name, needs: { ...needs, ...(targetsShareTools ? { targetTools } : {}) } };
  const obstacle = obstacleTo(asked, node.lacks, 'embedded');
  if (obstacle !== undefined) return [obstacle];
  if (!node.isHere || tunables === undefined || fault.where !== 'node') return [];
  try {
    await checkNode(fault, tunables, signal);
    return [];
  } catch (error) {
    if (error instanceof NodeError) return [describeError(error)];
    throw error;
  }
}
