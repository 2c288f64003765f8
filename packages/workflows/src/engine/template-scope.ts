import type { Workflow, WorkflowSpec } from '../kinds/workflow.ts';

/** The object in which the names of templates are looked up. */
export interface TemplateScope {
  readonly kind: 'local' | 'namespaced' | 'cluster';
  readonly name: string;
}

export function formatScope({ kind, name }: TemplateScope): string {
  return `${kind}/${name}`;
}

/** The scope of the workflow's own templates: without a name when they come from a template that it refers to as a whole. */
export function localScope({
  spec,
  workflow,
}: {
  readonly spec: WorkflowSpec;
  readonly workflow: Workflow;
}): TemplateScope {
  return { kind: 'local', name: spec.workflowTemplateRef === undefined ? workflow.metadata.name : '' };
}

export function parseScope(text: string | undefined, workflow: string): TemplateScope {
  const [kind, name] = (text ?? '').split('/');
  if (kind === 'namespaced' || kind === 'cluster') return { kind, name: name ?? '' };
  return { kind: 'local', name: name ?? workflow };
}
