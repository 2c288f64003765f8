import type { Fault, PlanInput } from '../../../experiment/injection/fault.ts';
import { text } from '../../../experiment/injection/settings/declare.ts';
import type { TunableSchema, Tunables } from '../../../experiment/injection/tunables.ts';
import { observeContainer } from '../../container-target.ts';
import { planLoads } from '../load/plan-loads.ts';
import { type CommandParameters, effectOfCommands, endCommands, keepCommands } from './keep-command.ts';

/** The parts of a fault by commands that differ. */
interface ExecFaultDefinition<S extends TunableSchema>
  extends Pick<Fault<S>, 'name' | 'summary' | 'tunables' | 'validate' | 'needs'> {
  /** The fault that does the same from the node, for containers whose image has no shell. */
  readonly instead: string;
  /** Pure. */
  commands(
    tunables: Tunables<S>,
  ): Pick<CommandParameters, 'command' | 'program' | 'tidyCommand' | 'workers' | 'killCommand' | 'asks'>;
}

/**
 * A fault by commands that are run in a container through the API (`pods/exec`): needs no helper and no rights on the node, but
 * a shell and the program in the container's image.
 *
 * What is touched: nothing but the processes of these commands, which carry the injection's name in their environment. How it is
 * undone: they are killed by it. What remains if the experiment dies: they may go on until recovery; they end with the container.
 */
export function execFault<S extends TunableSchema & { readonly TOTAL_CHAOS_DURATION: object }>(
  definition: ExecFaultDefinition<S>,
): Fault<S> {
  const { commands, instead, needs, ...rest } = definition;
  return {
    ...rest,
    needs: { ...needs, targetShell: { instead } },
    targets: 'containers',
    shape: 'sustained',
    where: 'api',
    permissions: [
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
      { apiGroups: [''], resources: ['pods/exec'], verbs: ['create', 'get'] },
      { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list'] },
    ],
    observe: observeContainer,
    plan: (input: PlanInput<S>) => {
      const parameters = commands(input.tunables);
      return planLoads(input, { verb: 'run a command in', asks: parameters.asks ?? {}, parameters });
    },
    inject: (injection, context) => keepCommands(injection, context, instead),
    effect: effectOfCommands,
    revert: endCommands,
  };
}

/** CHAOS_KILL_COMMAND. */
export const KILL_COMMAND = text(
  'Shell command that is run in the container at the end. Not needed: what was started is known and killed; commands that kill every process of a name, as those of the charts, are left out.',
);
