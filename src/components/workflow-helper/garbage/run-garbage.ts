import { messageOf } from '@turnsole/kube/text/error-message';
import { writeOutcome } from '@turnsole/workflows/artifacts/garbage-outcome';
import { keyOf, locationOf } from '@turnsole/workflows/artifacts/location';
import type { Artifact } from '@turnsole/workflows/kinds/parameters';
import type { NodeOrder } from '@turnsole/workflows/pods/helper';
import { openStore } from '../artifacts/open-store.ts';
import type { HelperContext } from '../context.ts';
import { HelperError } from '../failure.ts';

/**
 * Deletes artifacts of a workflow. A failure for one does not stop the others.
 *
 * @throws HelperError with the outcome for each, for the controller, when any is still there
 */
export async function runGarbage({ artifacts }: NodeOrder, context: HelperContext): Promise<void> {
  const outcome: (string | null)[] = [];
  for (const artifact of artifacts.garbage ?? []) {
    try {
      await remove(artifact, context);
      outcome.push(null);
    } catch (error) {
      context.signal.throwIfAborted();
      context.say(`artifact ${artifact.name} cannot be deleted: ${messageOf(error)}`);
      outcome.push(messageOf(error));
    }
  }
  if (outcome.some((problem) => problem !== null)) throw new HelperError(writeOutcome(outcome));
}

async function remove(artifact: Artifact, context: HelperContext): Promise<void> {
  const { say, signal } = context;
  const location = locationOf(artifact);
  if (location === undefined) throw new HelperError('it has no location');
  const store = await openStore(location, context);
  await store.remove(keyOf(location), signal);
  say(`artifact ${artifact.name} is deleted at ${keyOf(location)} in ${store.name}`);
}
