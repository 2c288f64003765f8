import type { Template, TemplateRef, WorkflowStep } from '../kinds/template.ts';
import type { WorkflowSpec, WorkflowTemplateRef } from '../kinds/workflow.ts';

/** A named collection of templates: a workflow, or an object that others refer to. */
export interface TemplateObject {
  readonly spec: WorkflowSpec;
  /** Where these templates stand, for people: `spec.templates`, or `workflowtemplate/<name> spec.templates`. */
  readonly path: string;
}

/** The WorkflowTemplates and ClusterWorkflowTemplates that a workflow may refer to. */
export interface TemplateLibrary {
  find(reference: WorkflowTemplateRef): TemplateObject | undefined;
}

export const NO_TEMPLATES: TemplateLibrary = { find: () => undefined };

/** The template of a step, task or hook, and the object in which its names are looked up. */
export interface FoundTemplate {
  readonly template: Template;
  readonly object: TemplateObject;
  readonly path: string;
}

/** Which template is called shows only when the step runs: its reference holds a tag. */
export const FOUND_LATER = Symbol('found later');

/** Whether the template of a call is known. */
export function isFound(found: FoundTemplate | string | typeof FOUND_LATER): found is FoundTemplate {
  return typeof found === 'object';
}

type Call = Pick<WorkflowStep, 'template' | 'templateRef' | 'inline'>;

/** The template that a step calls, or a sentence with the reason why it has none. Pure but for the library's look-up. */
export function findTemplate(
  call: Call,
  object: TemplateObject,
  path: string,
  library: TemplateLibrary,
): FoundTemplate | string | typeof FOUND_LATER {
  if (call.inline !== undefined) return { template: call.inline, object, path: `${path}.inline` };
  if (call.templateRef !== undefined) return findReferenced(call.templateRef, library);
  return findNamed(call.template ?? '', object) ?? `template name '${call.template ?? ''}' undefined`;
}

function findReferenced(
  reference: TemplateRef,
  library: TemplateLibrary,
): FoundTemplate | string | typeof FOUND_LATER {
  if (`${reference.name}${reference.template}`.includes('{{')) return FOUND_LATER;
  const object = library.find(reference);
  const found = object === undefined ? undefined : findNamed(reference.template, object);
  return found ?? `template reference ${reference.name}.${reference.template} not found`;
}

function findNamed(name: string, object: TemplateObject): FoundTemplate | undefined {
  const { templates = [] } = object.spec;
  const index = templates.findIndex((template) => template.name === name);
  const template = templates[index];
  return template === undefined ? undefined : { template, object, path: `${object.path}[${index}]` };
}
