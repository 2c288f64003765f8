import { systemClock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { EXIT } from '../../../process/exit-codes.ts';
import { CommandError } from '../../../services/errors.ts';
import { followWorkflow } from '../../../services/workflows/follow.ts';
import { workflowLogs } from '../../../services/workflows/logs.ts';
import { phaseText } from '../../../services/workflows/phase.ts';
import { showTree } from '../../print/workflow/live-tree.ts';
import { durationOf } from '../../print/workflow/times.ts';

/** What the user wants to see after a workflow has begun. */
export interface FollowFlags {
  readonly wait?: boolean;
  readonly watch?: boolean;
  readonly log?: boolean;
}

interface FollowBegunOptions extends FollowFlags {
  readonly signal: AbortSignal;
}

/**
 * Follows workflows that have just begun, as the flags ask.
 *
 * @returns the exit code for their outcome; 0 when the flags ask for nothing
 */
export async function followBegun(
  client: KubeClient,
  workflows: readonly Workflow[],
  { wait = false, watch = false, log = false, signal }: FollowBegunOptions,
): Promise<number> {
  if (!wait && !watch && !log) return EXIT.pass;
  const outcomes: (Workflow | undefined)[] = [];
  if (watch || log) {
    for (const workflow of workflows) {
      outcomes.push(
        await (watch ? watchTree(client, workflow, signal) : followOne(client, workflow, log, signal)),
      );
    }
  } else {
    outcomes.push(
      ...(await Promise.all(workflows.map((workflow) => followOne(client, workflow, false, signal)))),
    );
  }
  return exitCodeOfWorkflows(workflows, outcomes);
}

/** Shows the tree of a workflow until it has ended. */
export async function watchTree(
  client: KubeClient,
  workflow: Workflow,
  signal: AbortSignal,
  isShown?: Parameters<typeof showTree>[1]['isShown'],
): Promise<Workflow | undefined> {
  const tree = showTree(process.stdout, { clock: systemClock, isShown });
  try {
    return await followWorkflow(workflow, { client, signal, onChange: tree.show });
  } finally {
    tree.close();
  }
}

async function followOne(
  client: KubeClient,
  workflow: Workflow,
  withLogs: boolean,
  signal: AbortSignal,
): Promise<Workflow | undefined> {
  if (withLogs) {
    const onLine = (pod: string, line: string): void => console.log(`${pod}: ${line}`);
    await workflowLogs(workflow, { client, follow: true, timestamps: false, signal, onLine });
  }
  const ended = await followWorkflow(workflow, { client, signal });
  if (ended !== undefined) {
    const { metadata, status = {} } = ended;
    console.log(`${metadata.name} ${phaseText(ended)} after ${durationOf(status, systemClock.now())}`);
  }
  return ended;
}

/**
 * The exit code that workflows deserve: one that did not succeed is a verdict.
 *
 * @throws CommandError (could not run) when one was deleted before its end
 */
export function exitCodeOfWorkflows(
  begun: readonly Workflow[],
  outcomes: readonly (Workflow | undefined)[],
): number {
  const gone = begun.filter((_, index) => outcomes[index] === undefined);
  if (gone.length > 0) {
    const names = gone.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(', ');
    throw new CommandError(`deleted before its end: Workflow ${names}`, 'WORKFLOW_DELETED');
  }
  return outcomes.every((workflow) => workflow?.status?.phase === 'Succeeded') ? EXIT.pass : EXIT.fail;
}
