import { InjectError } from '../../experiment/injection/errors.ts';
import type { Fault, PlanInput } from '../../experiment/injection/fault.ts';
import { chaosDuration } from '../../experiment/injection/settings/common-tunables.ts';
import { integer } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import { ENTERING_HELPER, POD_HELPER_RULES } from '../by-helper.ts';
import { observeContainer, runningContainer } from '../container-target.ts';
import { fillGoal } from './disk/fill-size.ts';
import { emptyAgain, type FillParameters, fillEffect, keepFull } from './disk/keep-full.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: chaosDuration(60, 'How long the storage stays full.'),
  FILL_PERCENTAGE: integer(
    { default: 80, minimum: 1, maximum: 1000, range: true, unit: 'percent' },
    "How much of the container's ephemeral-storage limit is in use then, what it uses itself included; more than 100 has a kubelet evict the pod, which the embedded cluster does not do.",
  ),
  EPHEMERAL_STORAGE_MEBIBYTES: integer(
    { default: undefined, minimum: 0, maximum: 67_108_864, range: true, unit: 'mebibytes' },
    'How much is in use then where the container has no such limit.',
  ),
  DATA_BLOCK_SIZE: integer(
    { default: 256, minimum: 1, maximum: 1_048_576, unit: 'kibibytes' },
    'How much is written at once on file systems that cannot allocate space.',
  ),
} as const satisfies TunableSchema;

/**
 * Fills the file system that a container writes to.
 *
 * What is touched: one file at the root of the container. How it is undone: the file is removed, also from file systems that the
 * runtime keeps of containers that have ended. What remains if the helper dies: the file, until recovery or until the kubelet
 * removes the container. When the container restarts it is filled again while time is left.
 */
const diskFill: Fault<typeof tunables> = {
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
