import type { ObjectMeta } from '@turnsole/kube/kinds/core';
import { formatDuration, parseDuration } from '@turnsole/kube/text/duration';
import type { CreatePod } from '../engine/change.ts';
import { LABEL_INSTANCE_ID } from '../kinds/labels.ts';
import { ownerReference } from '../kinds/owner-reference.ts';
import type { Template } from '../kinds/template.ts';
import type { Workflow, WorkflowSpec } from '../kinds/workflow.ts';
import type { PodSettings } from './settings.ts';

const ANNOTATION_DEFAULT_CONTAINER = 'kubectl.kubernetes.io/default-container';
export const ANNOTATION_POD_GC = 'workflows.argoproj.io/pod-gc-strategy';
const DEFAULT_GC_DELAY = '5s';

/** Metadata of a node's pod. The engine's own keys win over the template's, and those over the workflow's `podMetadata`. */
export function podMetadata(
  workflow: Workflow,
  spec: Pick<WorkflowSpec, 'podMetadata' | 'podGC'>,
  action: CreatePod,
  { podGcDeleteDelay = DEFAULT_GC_DELAY }: Pick<PodSettings, 'podGcDeleteDelay'>,
): ObjectMeta {
  const { metadata } = action.template;
  const instance = workflow.metadata.labels?.[LABEL_INSTANCE_ID];
  const { strategy = '', deleteDelayDuration = podGcDeleteDelay } = spec.podGC ?? {};
  return {
    name: action.podName,
    namespace: workflow.metadata.namespace,
    labels: {
      ...spec.podMetadata?.labels,
      ...metadata?.labels,
      ...(instance !== undefined && { [LABEL_INSTANCE_ID]: instance }),
      ...action.labels,
    },
    annotations: {
      ...spec.podMetadata?.annotations,
      [ANNOTATION_DEFAULT_CONTAINER]: defaultContainer(action.template),
      ...metadata?.annotations,
      ...(strategy !== '' && { [ANNOTATION_POD_GC]: `${strategy}/${goDuration(deleteDelayDuration)}` }),
      ...action.annotations,
    },
    ownerReferences: [ownerReference('Workflow', workflow)],
  };
}

/** The container whose log people want to see: of a set without a main one, the last. */
function defaultContainer({ containerSet }: Template): string {
  const names = (containerSet?.containers ?? []).map(({ name }) => name);
  return names.length === 0 || names.includes('main') ? 'main' : (names.at(-1) ?? 'main');
}

/** As Go writes it, which is what clients of Argo read. */
function goDuration(text: string): string {
  return formatDuration(parseDuration(text));
}
