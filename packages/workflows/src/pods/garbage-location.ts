import { ArtifactError } from '../artifacts/artifact-error.ts';
import { isComplete, type Location, located, locationOf } from '../artifacts/location.ts';
import type { ArtifactRepository } from '../artifacts/repository.ts';
import { completed } from '../artifacts/resolve.ts';
import type { Artifact } from '../kinds/parameters.ts';
import type { NodeStatus } from '../kinds/status.ts';
import type { Template } from '../kinds/template.ts';
import type { WorkflowSpec } from '../kinds/workflow.ts';
import { baseOf } from './node-artifacts.ts';

/** Where a workflow says that its artifacts lie. */
export interface GarbagePlaces {
  readonly spec: Pick<WorkflowSpec, 'templates' | 'templateDefaults'>;
  readonly storedTemplates: Readonly<Record<string, Template>>;
  readonly repository: ArtifactRepository | undefined;
}

/**
 * An artifact with its whole location: fields that its status leaves out come from `archiveLocation` of its template, or from the
 * repository. A text says why the location is unknown: an artifact deleted in the wrong store counts as deleted and is still there. Pure.
 */
export function garbageLocation(
  artifact: Artifact,
  node: NodeStatus,
  places: GarbagePlaces,
): Artifact | string {
  const location = locationOf(artifact);
  if (location === undefined) return 'it has no location';
  try {
    const whole = isComplete(location)
      ? completed(artifact.name, location, undefined)
      : inItsStore(artifact.name, location, node, places);
    if (!JSON.stringify(whole).includes('{{')) return located(artifact, whole);
    return 'its location has a tag that stands for nothing outside of its step';
  } catch (error) {
    if (error instanceof ArtifactError) return error.message;
    throw error;
  }
}

/** @throws ArtifactError */
function inItsStore(name: string, location: Location, node: NodeStatus, places: GarbagePlaces): Location {
  const { spec, storedTemplates, repository } = places;
  const all = [spec.templates, spec.templateDefaults, storedTemplates];
  if (!JSON.stringify(all).includes('"archiveLocation"')) return completed(name, location, repository);
  const template = templateOf(node, places);
  if (template === undefined)
    throw new ArtifactError('its template is not known any more, which may say where it lies');
  const { archiveLocation = spec.templateDefaults?.archiveLocation } = template;
  return completed(name, location, baseOf(archiveLocation, repository));
}

function templateOf(node: NodeStatus, { spec, storedTemplates }: GarbagePlaces): Template | undefined {
  const { templateRef: ref, templateScope, templateName } = node;
  if (ref !== undefined) {
    const path = `/${ref.name}/${ref.template}`;
    return Object.entries(storedTemplates).find(([key]) => key.endsWith(path))?.[1];
  }
  const stored = storedTemplates[`${templateScope}/${templateName}`];
  return stored ?? spec.templates?.find(({ name }) => name !== undefined && name === templateName);
}
