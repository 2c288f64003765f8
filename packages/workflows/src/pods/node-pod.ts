import type { ConfigMap, Pod, PodSpec, Volume } from '@turnsole/kube/kinds/core';
import type { CreatePod } from '../engine/change.ts';
import { LABEL_WORKFLOW } from '../kinds/labels.ts';
import { ownerReference } from '../kinds/owner-reference.ts';
import { areLogsKept, type Collection, collection } from './collection.ts';
import { filesData, filesName, filesVolume, type MountedFile } from './files.ts';
import { sharedVolumes } from './helper.ts';
import { nodeArtifacts } from './node-artifacts.ts';
import { nodeContainers } from './node-containers.ts';
import { nodeFiles } from './node-files.ts';
import { placement } from './placement.ts';
import { deadlineSeconds, givenFields } from './pod-fields.ts';
import { podMetadata } from './pod-metadata.ts';
import { patchPodSpec } from './pod-spec-patch.ts';
import type { PodOwner, PodSettings } from './settings.ts';
import { type SpecOfPods, specWithNames } from './spec-with-names.ts';
import { withStores } from './stores.ts';
import { mountedVolumes } from './volumes.ts';

/** A pod, and what has to be there before it. */
export interface NodePod {
  readonly pod: Pod;
  /** Owned by the workflow; named after the pod, so that creating them twice creates them once. */
  readonly objects: readonly ConfigMap[];
}

/**
 * The pod of a container, script, containerSet, resource or data node. Pure; the same action always makes the same pod, but for its
 * deadline.
 *
 * @throws PodError when the template cannot become a pod: the node is an error with its message
 */
export function nodePod(owner: PodOwner, action: CreatePod, settings: PodSettings): NodePod {
  const { workflow } = owner;
  const spec = specWithNames(owner, action.template);
  const how = collectionOf(action, spec, owner, settings);
  const { artifacts, ...stores } = withStores(nodeArtifacts(action, how, owner.repository, owner.names));
  const files = nodeFiles(workflow, action, how, artifacts);
  const { initContainers, containers } = nodeContainers(
    action,
    workflow,
    how,
    files,
    stores.mounts,
    settings,
  );
  const name = filesName(action.podName);
  const ours: Volume[] = [
    filesVolume(name, files),
    ...(how.kind === 'helper' ? sharedVolumes(how.uses) : sharedVolumes([])),
    ...stores.volumes,
  ];
  const volumes = mountedVolumes([...initContainers, ...containers], workflow, spec, action.template, ours);
  const podSpec: PodSpec = {
    restartPolicy: 'Never',
    ...givenFields(spec, action.template),
    ...placement([action.template, owner.boundary, spec], action.avoidHosts),
    activeDeadlineSeconds: deadlineSeconds(action, owner.now),
    ...(initContainers.length > 0 && { initContainers }),
    containers,
    ...(volumes.length > 0 && { volumes }),
  };
  return {
    pod: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: podMetadata(workflow, spec, action, settings),
      spec: patchPodSpec(podSpec, [spec.podSpecPatch, action.template.podSpecPatch]),
    },
    objects: files.length === 0 ? [] : [filesMap(name, owner, files)],
  };
}

function collectionOf(
  { template, wantsResult }: CreatePod,
  spec: SpecOfPods,
  { repository }: PodOwner,
  settings: PodSettings,
): Collection {
  const archiveLogs = areLogsKept(template, spec, settings, repository);
  return collection(template, { wantsResult, archiveLogs });
}

function filesMap(name: string, { workflow }: PodOwner, files: readonly MountedFile[]): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace: workflow.metadata.namespace,
      labels: { [LABEL_WORKFLOW]: workflow.metadata.name },
      ownerReferences: [ownerReference('Workflow', workflow)],
    },
    data: filesData(files),
  };
}
