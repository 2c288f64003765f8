import type { Container, ContainerStatus, Pod } from '@turnsole/kube/kinds/core';
import { isCompleted } from '@turnsole/workflows/kinds/completed';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';

/**
 * The local copy of a pod without the fields that the controller never reads: volumes, mounts, commands, environments and conditions weigh
 * most, and each running node has a pod. Its containers keep the fields that show their roles and use of resources. Pure.
 */
export function slimPod({ apiVersion, kind, metadata, spec, status }: Pod): Pod {
  const { managedFields: _fields, ...kept } = metadata;
  return {
    apiVersion,
    kind,
    metadata: kept,
    spec: {
      nodeName: spec?.nodeName,
      initContainers: spec?.initContainers?.map(slimContainer),
      containers: spec?.containers.map(slimContainer) ?? [],
    },
    status: {
      phase: status?.phase,
      message: status?.message,
      reason: status?.reason,
      podIP: status?.podIP,
      conditions: status?.conditions?.filter(({ status: holds }) => holds !== 'True'),
      initContainerStatuses: status?.initContainerStatuses?.map(slimStatus),
      containerStatuses: status?.containerStatuses?.map(slimStatus),
    },
  };
}

/** `restartPolicy` marks a sidecar among the init containers (Kubernetes 1.29; the types are older). */
function slimContainer(container: Container & { readonly restartPolicy?: string }): Container {
  const { name, resources, restartPolicy } = container;
  const slim: Container & { readonly restartPolicy?: string | undefined } = {
    name,
    resources,
    restartPolicy,
  };
  return slim;
}

function slimStatus({ name, state, ready, restartCount }: ContainerStatus): ContainerStatus {
  return { name, state, ready, restartCount, image: '', imageID: '' };
}

/**
 * The copy of a workflow leaves out its nodes and stored templates, which weigh most: for a running workflow they are in memory already.
 * For a finished one it leaves out its own templates as well.
 */
export function slimWorkflow(workflow: Workflow): Workflow {
  delete workflow.metadata.managedFields;
  const {
    nodes: _nodes,
    compressedNodes: _compressed,
    storedTemplates: _stored,
    ...status
  } = workflow.status ?? {};
  if (!isCompleted(workflow)) return workflow.status === undefined ? workflow : { ...workflow, status };
  const { templates: _templates, ...spec } = workflow.spec ?? {};
  const { templates: _library, ...ran } = status.storedWorkflowTemplateSpec ?? {};
  const stored = status.storedWorkflowTemplateSpec && { storedWorkflowTemplateSpec: ran };
  return { ...workflow, spec, status: { ...status, ...stored } };
}
