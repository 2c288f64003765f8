import type { Node } from '@turnsole/kube/kinds/core';
import { NODES } from '@turnsole/kube/kinds/resources';
import { parseQuantity, quantityToNumber } from '@turnsole/kube/text/quantity';
import type { InjectionTarget } from '../../api/index.ts';
import { InjectError } from '../../experiment/injection/errors.ts';
import type { Fault, FaultContext, PlanInput } from '../../experiment/injection/fault.ts';
import type { TunableSchema, Tunables } from '../../experiment/injection/tunables.ts';
import { HELPER_RULES } from '../by-helper.ts';
import { endStress, keepStress, type StressParameters, stressEffect } from './load/keep-load.ts';
import { idleLoad, type Load } from './load/load.ts';

/** Capacity of a node, from its Node object; JSON. */
interface NodeCapacity {
  readonly cpus: number;
  readonly memoryMebibytes: number;
  /** The part of it that pods may use. */
  readonly allocatableMebibytes: number;
}

/** Whether a load is one does not depend on the node. */
const ANY_CAPACITY: NodeCapacity = { cpus: 1, memoryMebibytes: 1024, allocatableMebibytes: 1024 };

/** The parts of a fault that loads nodes that differ. */
interface NodeStressDefinition<S extends TunableSchema>
  extends Pick<Fault<S>, 'name' | 'summary' | 'tunables' | 'validate'> {
  /** Pure. */
  load(tunables: Tunables<S>, capacity: NodeCapacity): Load;
}

/**
 * A fault that loads a node: by processes in a helper pod there that has no limits.
 *
 * What is touched: nothing but these processes. How it is undone: they are killed. What remains if the helper dies: nothing, they
 * end with it and with its pod.
 */
export function nodeStressFault<S extends TunableSchema & { readonly TOTAL_CHAOS_DURATION: object }>(
  definition: NodeStressDefinition<S>,
): Fault<S> {
  const { load, ...rest } = definition;
  return {
    ...rest,
    targets: 'nodes',
    shape: 'sustained',
    where: 'node',
    targetStatus: 'targeted',
    injectMessage: `Injecting ${definition.name} chaos on target node`,
    permissions: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list'] }, ...HELPER_RULES],
    helper: { unlimited: true },
    observe,
    idleReason: (tunables) => idleLoad(load(tunables, ANY_CAPACITY)),
    plan: ({ tunables, targets }: PlanInput<S>) =>
      targets.map(({ observed, ...target }) => {
        const capacity = observed?.capacity;
        if (!isCapacity(capacity)) {
          throw new InjectError(`cannot load node ${target.name}: its status says no capacity`);
        }
        const parameters: StressParameters = {
          load: load(tunables, capacity),
          // `S` has this setting; TypeScript does not look into a type parameter for its type.
          seconds: tunables.TOTAL_CHAOS_DURATION as number,
        };
        return { id: target.name, target, parameters };
      }),
    inject: keepStress,
    effect: stressEffect,
    revert: async ({ id }) => {
      // A load that another helper has started is in that one's pod, and ends with it.
      await endStress(id);
    },
  };
}

async function observe(
  { name }: InjectionTarget,
  { client, signal }: FaultContext,
): Promise<{ readonly capacity: NodeCapacity }> {
  const { status } = await client.get<Node>(NODES, name, { signal });
  const number = (quantity: string | number | undefined): number =>
    quantity === undefined ? 0 : quantityToNumber(parseQuantity(String(quantity)));
  const memoryMebibytes = Math.floor(number(status?.capacity?.memory) / 1024 ** 2);
  return {
    capacity: {
      cpus: number(status?.capacity?.cpu),
      memoryMebibytes,
      allocatableMebibytes: Math.floor(number(status?.allocatable?.memory) / 1024 ** 2) || memoryMebibytes,
    },
  };
}

function isCapacity(value: unknown): value is NodeCapacity {
  return typeof value === 'object' && value !== null && 'cpus' in value && value.cpus !== 0;
}
