import type { KubeClient } from '@turnsole/kube/client/types';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { hasEnded } from './phase.ts';

/** A user's patience ends it, or `--timeout`; this only bounds the wait itself. */
const LONGEST_MS = 7 * 24 * 3_600_000;

interface FollowOptions {
  readonly client: KubeClient;
  readonly signal?: AbortSignal;
  /** @default seven days */
  readonly timeoutMs?: number;
  /** Called with each state of the workflow, the last one too. */
  readonly onChange?: (workflow: Workflow) => void;
}

/**
 * Follows a workflow to its end.
 *
 * @returns the workflow as it ended; undefined when it was deleted
 * @throws WaitTimeoutError · the signal's reason
 */
export async function followWorkflow(
  { metadata }: Workflow,
  { client, signal, timeoutMs = LONGEST_MS, onChange = () => {} }: FollowOptions,
): Promise<Workflow | undefined> {
  const { name, namespace, uid } = metadata;
  let isGone = false;
  const last = await waitForObject<Workflow>(
    client,
    WORKFLOWS,
    name,
    (workflow) => {
      // One of the same name is another one.
      isGone = workflow === undefined || workflow.metadata.uid !== uid;
      if (isGone || workflow === undefined) return true;
      onChange(workflow);
      return hasEnded(workflow);
    },
    { namespace, timeoutMs, signal },
  );
  return isGone ? undefined : last;
}
