import type { Json } from '@turnsole/kube/text/json';
import { type Context, memberOf } from '../access/context.ts';
import { askOwn } from '../infra/live/ask-own.ts';
import { keptProbes } from '../probe/probe-rows.ts';
import type { ManifestPlan } from '../schema/generated/types.ts';
import { namedProbes } from './manifest/named-probes.ts';
import { isSchedule, prepareRun, prepareSchedule } from './manifest/prepare-run.ts';
import { prepareStored } from './manifest/prepare-stored.ts';
import { readManifest, readStored } from './manifest/read-manifest.ts';
import { refusingManifests } from './manifest-refusal.ts';
import { readPlan } from './read-plan.ts';

/** Placeholder for ids that a plan does not need. */
const NONE = 'plan';

/**
 * Plans a run of a manifest by the agent of an infrastructure: of the object that the agent would get, with the probes of
 * the project. Stores nothing.
 *
 * @throws Refusal for a manifest that is no experiment, and if the agent is disconnected or cannot plan
 */
export async function planManifest(infra: string, manifest: string, context: Context): Promise<ManifestPlan> {
  const object = await objectOf(infra, manifest, context);
  const data = { manifest: JSON.stringify(object) };
  return readPlan(await askOwn({ infra, type: 'plan', data, ability: 'plan' }, context));
}

/** Prepares the manifest as for storage, then as for a run. */
async function objectOf(infraID: string, text: string, context: Context): Promise<Json> {
  const manifest = refusingManifests(() => readManifest(text, readStored(text).name));
  const { plane } = context;
  const names = refusingManifests(() => namedProbes(manifest));
  const known = await keptProbes(plane.store.read, memberOf(context).project, names);
  return refusingManifests(() => {
    const stored = prepareStored(manifest, {
      ids: { experimentID: NONE, infraID, revisionID: NONE },
      weights: new Map(),
      known,
      suffix: () => NONE,
    });
    const kept = new Map([...known, ...stored.made.map((probe) => [probe.name, probe] as const)]);
    const prepared = { ...manifest, object: stored.object };
    return isSchedule(manifest)
      ? prepareSchedule(prepared, kept)
      : prepareRun(prepared, { run: { name: manifest.name, notifyID: NONE }, kept });
  });
}
