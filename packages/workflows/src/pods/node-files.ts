import { isFetched } from '../artifacts/location.ts';
import type { CreatePod } from '../engine/change.ts';
import type { Artifact } from '../kinds/parameters.ts';
import type { Workflow } from '../kinds/workflow.ts';
import { type Collection, isWrapping } from './collection.ts';
import { mainContainers, SCRIPT_SOURCE_PATH } from './containers.ts';
import type { MountedFile } from './files.ts';
import { isCovered, orderFile, SCRIPT_FILE } from './helper.ts';
import type { NodeArtifacts } from './node-artifacts.ts';
import { PodError } from './pod-error.ts';

/**
 * Files that containers of a node find: raw artifacts, the script, what the helper works with.
 *
 * @throws PodError for an input artifact that cannot be brought
 */
export function nodeFiles(
  workflow: Workflow,
  action: CreatePod,
  how: Collection,
  artifacts: NodeArtifacts,
): MountedFile[] {
  const { template } = action;
  const files = (template.inputs?.artifacts ?? []).flatMap(rawFile);
  const text = template.script?.source ?? '';
  if (text !== '') {
    files.push({
      key: 'script',
      path: SCRIPT_SOURCE_PATH,
      text,
      mode: 0o755,
      what: 'the source of the script',
    });
  }
  if (how.kind === 'helper' || template.resource !== undefined || template.data !== undefined) {
    const containers = mainContainers(template).map(({ container }) => container);
    const mains = containers.map(({ name }) => name);
    const mounts = containers.find(({ name }) => name === 'main')?.volumeMounts ?? [];
    const onVolumes = artifacts.inputs.filter((one) => isCovered(one, mounts)).map(({ name }) => name);
    const uses = how.kind === 'helper' ? how.uses : [];
    files.push(orderFile(action, workflow, { mains, uses, artifacts, onVolumes }));
  }
  return how.kind === 'helper' && isWrapping(how.uses) ? [...files, SCRIPT_FILE] : files;
}

function rawFile(artifact: Artifact, index: number): MountedFile[] {
  const { name, path = '', raw, mode, optional = false } = artifact;
  if (raw === undefined && !isFetched(artifact)) {
    if (optional) return [];
    throw new PodError(
      `artifact ${name} has no location: give it one, pass it as an argument, or make it optional`,
    );
  }
  if (path === '') throw new PodError(`artifact ${name} did not specify a path`);
  return raw === undefined
    ? []
    : [{ key: `artifact-${index}`, path, text: raw.data, mode, what: `artifact ${name}` }];
}
