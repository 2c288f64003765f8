import type { KubeObject } from '@turnsole/kube/kinds/core';
import { decodeWorkflowTemplate } from '@turnsole/workflows/kinds/decode/workflow';
import type { TemplateLibrary, TemplateObject } from '@turnsole/workflows/validation/library';

const GROUP = 'argoproj.io/';
const KINDS = ['Workflow', 'WorkflowTemplate', 'ClusterWorkflowTemplate', 'CronWorkflow'];
/** Kinds whose templates others refer to. */
export const LIBRARY_KINDS = ['WorkflowTemplate', 'ClusterWorkflowTemplate'];

/** Whether an object is a workflow, or something that workflows are made of. */
export function isWorkflowKind({
  apiVersion,
  kind,
}: {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
}): boolean {
  return String(apiVersion).startsWith(GROUP) && KINDS.includes(String(kind));
}

/** Name of a workflow object, also when the cluster is to draw it. */
export function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? `${metadata.generateName ?? ''}…`;
}

/** The templates that objects hold, by kind and name; then those of another library. */
export function libraryOf(objects: readonly KubeObject[], further?: TemplateLibrary): TemplateLibrary {
  const templates = new Map<string, TemplateObject>();
  for (const object of objects) {
    const { kind = '', metadata } = object;
    if (!isWorkflowKind(object) || !LIBRARY_KINDS.includes(kind)) continue;
    const { spec } = decodeWorkflowTemplate(object);
    const path = `${kind.toLowerCase()}/${metadata.name} spec.templates`;
    templates.set(`${kind === 'ClusterWorkflowTemplate'}/${metadata.name}`, { spec, path });
  }
  return {
    find: (reference) =>
      templates.get(`${reference.clusterScope === true}/${reference.name}`) ?? further?.find(reference),
  };
}
