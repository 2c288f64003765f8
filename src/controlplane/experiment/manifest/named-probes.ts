import { referencesOf } from './engine-part.ts';
import { engineSteps } from './engine-steps.ts';
import type { Manifest } from './read-manifest.ts';

/** Names of the project's probes to which the engines of a manifest refer. @throws ManifestError */
export function namedProbes(manifest: Manifest): string[] {
  const objects = isWorkflow(manifest)
    ? engineSteps(manifest).map(({ engine }) => engine.object)
    : [manifest.object];
  return objects.flatMap((object) => (referencesOf(object) ?? []).map(({ name }) => name));
}

function isWorkflow({ kind }: Manifest): boolean {
  return kind === 'Workflow' || kind === 'CronWorkflow';
}
