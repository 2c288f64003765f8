import { allInOrder } from '@turnsole/kube/base/all-in-order';
import { systemClock } from '@turnsole/kube/base/clock';
import { isNotFound } from '@turnsole/kube/client/errors';
import { WaitTimeoutError } from '@turnsole/kube/runtime/wait';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { EXIT } from '../../../process/exit-codes.ts';
import type { ClusterOptions } from '../../../runs/session/open-cluster.ts';
import { CommandError } from '../../../services/errors.ts';
import { findWorkflow, type Place } from '../../../services/workflows/find.ts';
import { followWorkflow } from '../../../services/workflows/follow.ts';
import { parseNodeSelector } from '../../../services/workflows/node-selector.ts';
import { phaseText } from '../../../services/workflows/phase.ts';
import { durationOf } from '../../print/workflow/times.ts';
import { exitCodeOfWorkflows, watchTree } from './follow-begun.ts';
import { onCluster } from './session.ts';

/** Options of `turnsole workflow watch`. */
export interface WatchOptions extends ClusterOptions {
  readonly nodeFieldSelector?: string;
}

/** Options of `turnsole workflow wait`. */
export interface WaitOptions extends ClusterOptions {
  readonly ignoreNotFound?: boolean;
  readonly timeout?: number;
}

/** Shows the tree of a workflow until it has ended; how it ended is not the command's verdict. */
export function watch(name: string, options: WatchOptions): Promise<number> {
  const { nodeFieldSelector } = options;
  const isShown = nodeFieldSelector === undefined ? undefined : parseNodeSelector(nodeFieldSelector);
  return onCluster(options, async ({ client, namespace }, signal) => {
    const workflow = await findWorkflow({ client, namespace }, name);
    const ended = await watchTree(client, workflow, signal, isShown);
    if (ended === undefined) console.log(`Workflow ${namespace}/${workflow.metadata.name} was deleted`);
    return EXIT.pass;
  });
}

/** Waits until workflows have ended. */
export function wait(names: readonly string[], options: WaitOptions): Promise<number> {
  return onCluster(options, async ({ client, namespace }, signal) => {
    const found = await allInOrder(names.map((name) => findIfAny({ client, namespace }, name, options)));
    const workflows = found.filter((workflow) => workflow !== undefined);
    const { timeout } = options;
    const limits = { client, signal, ...(timeout !== undefined && { timeoutMs: timeout }) };
    const outcomes = await Promise.all(
      workflows.map(async (workflow) => {
        const ended = await followWorkflow(workflow, limits).catch((error: unknown) =>
          tooLate(error, workflow),
        );
        if (ended !== undefined)
          console.log(
            `${ended.metadata.name} ${phaseText(ended)} after ${durationOf(ended.status ?? {}, systemClock.now())}`,
          );
        return ended;
      }),
    );
    const gone = options.ignoreNotFound === true ? outcomes.filter((one) => one !== undefined) : outcomes;
    return exitCodeOfWorkflows(options.ignoreNotFound === true ? [] : workflows, gone);
  });
}

async function findIfAny(
  place: Place,
  name: string,
  { ignoreNotFound }: WaitOptions,
): Promise<Workflow | undefined> {
  try {
    return await findWorkflow(place, name);
  } catch (error) {
    const isAbsent = isNotFound(error) || (error instanceof CommandError && error.code === 'NOT_FOUND');
    if (ignoreNotFound === true && isAbsent) return undefined;
    throw error;
  }
}

function tooLate(error: unknown, { metadata }: Workflow): never {
  if (!(error instanceof WaitTimeoutError)) throw error;
  const message = `Workflow ${metadata.namespace}/${metadata.name} did not end within --timeout ${error.timeoutMs / 1000}s`;
  throw new CommandError(message, 'RUN_TIMEOUT', { cause: error });
}
