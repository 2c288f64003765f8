import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { SkipError } from '../../chaos/experiments/skip-error.ts';
import { refusalOfForeign } from '../../chaos/foreign-image.ts';
import { isKnownImage } from '../../chaos/known-images.ts';
import { wantsDryRun } from '../../chaos/run-record.ts';
import type { JobPlan } from '../../engines/pods/job-plan.ts';
import type { RunContext } from './run-context.ts';

/**
 * An image that is not known to be Turnsole's keeps none of our settings: where the engine asks for what only the program in it
 * could keep, it is not started.
 *
 * @throws SkipError with the reason
 */
export async function refuseForeignImage(run: RunContext, plan: JobPlan): Promise<void> {
  const { engine, env, image, name, settings } = plan;
  if (isKnownImage(image, settings.knownImages)) return;
  const { protectedNamespaces } = settings;
  const refusal = refusalOfForeign({ engine, env, image, protectedNamespaces });
  // An experiment in the runner's own image is Turnsole's, also if another program started the runner.
  if (refusal === undefined || image === (await ownImageOfPod(run))) return;
  const verdict = wantsDryRun(engine) ? 'N/A' : 'Fail';
  throw new SkipError('ExperimentImageRefused', `${name} is not started: ${refusal}`, { verdict });
}

async function ownImageOfPod({ client, settings, signal }: RunContext): Promise<string | undefined> {
  const { namespace, engine } = settings;
  const pods = await client.list<Pod>(PODS, {
    namespace,
    signal,
    fieldSelector: `metadata.name=${engine}-runner`,
  });
  return pods.items[0]?.spec?.containers[0]?.image;
}
