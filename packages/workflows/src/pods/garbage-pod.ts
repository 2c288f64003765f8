import type { Pod, Volume, VolumeMount } from '@turnsole/kube/kinds/core';
import type { GarbageBatch } from '../artifacts/garbage.ts';
import { LABEL_COMPONENT, LABEL_INSTANCE_ID, LABEL_WORKFLOW } from '../kinds/labels.ts';
import { ownerReference } from '../kinds/owner-reference.ts';
import type { Artifact } from '../kinds/parameters.ts';
import { type NodeOrder, ownContainer } from './helper.ts';
import { placement } from './placement.ts';
import { givenFields } from './pod-fields.ts';
import { patchPodSpec } from './pod-spec-patch.ts';
import { ORDER_FILE, type PodOwner, type PodSettings } from './settings.ts';
import { specWithNames } from './spec-with-names.ts';
import { withStores } from './stores.ts';

/** The value of {@link LABEL_COMPONENT} by which pods that delete artifacts are found. */
export const ARTIFACT_GC_COMPONENT = 'artifact-gc';

/** Carries the order, which saves making and deleting a second object. */
const ANNOTATION_ORDER = 'turnsole.io/order';
const VOLUME = 'turnsole-order';

/**
 * The pod that deletes artifacts, each of which has its whole location. It has credentials and volumes of the stores as helpers have them.
 * Pure.
 *
 * @throws PodError for a patch that cannot be applied
 */
export function garbagePod(
  owner: PodOwner,
  { podName, gc }: GarbageBatch,
  garbage: readonly Artifact[],
  { helper }: Pick<PodSettings, 'helper'>,
): Pod {
  const { workflow } = owner;
  const { name, namespace, labels, deletionTimestamp } = workflow.metadata;
  const { artifacts, volumes, mounts } = withStores({ inputs: [], outputs: [], logs: [], garbage });
  const order: NodeOrder = {
    node: podName,
    pod: podName,
    workflow: name,
    owner: ownerReference('Workflow', workflow),
    namespace,
    mains: [],
    uses: [],
    artifacts,
    onVolumes: [],
    parameters: [],
  };
  const spec = specWithNames(owner, {});
  const instance = labels?.[LABEL_INSTANCE_ID];
  const container = ownContainer('main', helper, helper.commands.garbage, [ORDER_MOUNT, ...mounts], []);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName,
      namespace,
      labels: {
        ...gc.podMetadata?.labels,
        ...(instance !== undefined && { [LABEL_INSTANCE_ID]: instance }),
        [LABEL_WORKFLOW]: name,
        [LABEL_COMPONENT]: ARTIFACT_GC_COMPONENT,
      },
      annotations: { ...gc.podMetadata?.annotations, [ANNOTATION_ORDER]: JSON.stringify(order) },
      // What a workflow owns may be deleted before it (foreground deletion), and with it the pod that it waits for.
      ...(deletionTimestamp === undefined && { ownerReferences: [ownerReference('Workflow', workflow)] }),
    },
    spec: patchPodSpec(
      {
        restartPolicy: 'Never',
        ...givenFields(spec, {}),
        serviceAccountName: gc.serviceAccountName || undefined,
        ...placement([spec]),
        containers: [container],
        volumes: [ORDER_VOLUME, ...volumes],
      },
      [gc.podSpecPatch],
    ),
  };
}

const ORDER_MOUNT: VolumeMount = {
  name: VOLUME,
  mountPath: ORDER_FILE,
  subPath: 'order.json',
  readOnly: true,
};

const ORDER_VOLUME: Volume = {
  name: VOLUME,
  downwardAPI: {
    items: [{ path: 'order.json', fieldRef: { fieldPath: `metadata.annotations['${ANNOTATION_ORDER}']` } }],
  },
};
