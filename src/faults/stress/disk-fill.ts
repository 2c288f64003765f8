import {
  chaosDuration,
  type Fault,
  InjectError,
  type PlanInput,
  type TunableSchema,
} from '../../experiment/index.ts';
import { ENTERING_HELPER, POD_HELPER_RULES } from '../by-helper.ts';
import { fillGoal } from './disk/fill-size.ts';
import { emptyAgain, type FillParameters, fillEffect, keepFull } from './disk/keep-full.ts';
import { observeContainer, runningContainer } from './load/container-target.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: chaosDuration(60, 'How long the storage stays full.'),
  FILL_PERCENTAGE: {
    type: 'integer',
    default: 80,
    minimum: 1,
    maximum: 1000,
    range: true,
    unit: 'percent',
    description:
      "How much of the container's ephemeral-storage limit is in use then, what it uses itself included; more than 100 has it evicted.",
  },
  EPHEMERAL_STORAGE_MEBIBYTES: {
    type: 'integer',
    default: undefined,
    minimum: 0,
    maximum: 67_108_864,
    range: true,
    unit: 'mebibytes',
    description: 'How much is in use then where the container has no such limit.',
  },
  DATA_BLOCK_SIZE: {
    type: 'integer',
    default: 256,
    minimum: 1,
    maximum: 1_048_576,
    unit: 'kibibytes',
    description: 'How much is written at once on file systems that cannot allocate space.',
  },
} as const satisfies TunableSchema;

/**
 * Fills the file system that a container writes to.
 *
 * What is touched: one file at the root of the container. How it is undone: the file is removed, also from file systems that the
 * runtime keeps of containers that have ended. What remains if the helper dies: the file, until recovery or until the kubelet
 * removes the container. When the container restarts it is filled again while time is left.
 */
export const diskFill: Fault<typeof tunables> = {
  name: 'disk-fill',
  summary: "Fills a container's ephemeral storage.",
  tunables,
  targets: 'containers',
  shape: 'sustained',
  where: 'node',
  permissions: POD_HELPER_RULES,
  needs: { capabilities: ['SYS_PTRACE', 'DAC_OVERRIDE'], tools: ['du'], isolatedPods: true },
  helper: ENTERING_HELPER,
  observe: observeContainer,
  plan,
  inject: keepFull,
  effect: fillEffect,
  revert: emptyAgain,
};

export default diskFill;

function plan({ tunables: settings, targets }: PlanInput<typeof tunables>) {
  return targets.map((target) => {
    const containerId = runningContainer('fill', target);
    const { observed = {}, ...rest } = target;
    const limit = typeof observed.storageLimit === 'string' ? observed.storageLimit : undefined;
    const goal = fillGoal(settings, limit);
    if (goal === undefined) {
      throw new InjectError(
        `cannot fill container ${target.container} of pod ${target.namespace}/${target.name}: it has no limit for ephemeral-storage; ` +
          'set one, or EPHEMERAL_STORAGE_MEBIBYTES',
      );
    }
    const parameters: FillParameters = { ...goal, containerId, seconds: settings.TOTAL_CHAOS_DURATION };
    return { id: `${target.namespace}.${target.name}.${target.container}`, target: rest, parameters };
  });
}
