import type { Template, TemplateRef } from '../kinds/template.ts';
import type { WorkflowTemplate, WorkflowTemplateRef } from '../kinds/workflow.ts';
import { NodeError } from './node-error.ts';
import type { Facts, Run } from './run.ts';
import { formatScope, type TemplateScope } from './template-scope.ts';

/** What names a template: a step, a task, a hook, a node of the status, or the entrypoint. */
export interface TemplateHolder {
  readonly template?: string;
  readonly templateRef?: TemplateRef;
  readonly inline?: Template;
}

export interface ResolvedTemplate {
  readonly template: Template;
  /** Where the names inside of it are looked up. */
  readonly scope: TemplateScope;
  /** Key under which the status keeps a copy; absent for templates of the workflow itself. */
  readonly storedAs?: string;
}

/**
 * Finds a template. The one stored in the status wins over today's object, so that an edit does not reach a running workflow.
 *
 * @throws NodeError when it does not exist
 */
export function resolveTemplate(
  run: Run,
  stored: Readonly<Record<string, Template>>,
  holder: TemplateHolder,
  scope: TemplateScope,
): ResolvedTemplate {
  if (holder.inline !== undefined) return { template: holder.inline, scope };
  const { templateRef } = holder;
  if (templateRef !== undefined) return ofObject(run, stored, scopeOf(templateRef), templateRef.template);
  const name = holder.template ?? '';
  if (scope.kind !== 'local') return ofObject(run, stored, scope, name);
  const template = run.spec.templates?.find((candidate) => candidate.name === name);
  if (template === undefined) throw new NodeError(`template ${name} not found in workflow spec`);
  return { template, scope };
}

function ofObject(
  run: Run,
  stored: Readonly<Record<string, Template>>,
  scope: TemplateScope,
  name: string,
): ResolvedTemplate {
  const storedAs = `${formatScope(scope)}/${name}`;
  const kept = stored[storedAs];
  if (kept !== undefined) return { template: kept, scope };
  const object = objectOf(run.facts, scope);
  const template = object.spec.templates?.find((candidate) => candidate.name === name);
  if (template === undefined)
    throw new NodeError(`template ${name} not found in workflow template ${scope.name}`);
  return { template, scope, storedAs };
}

/** The scope of the object that a reference names. */
export function scopeOf({ name, clusterScope }: WorkflowTemplateRef): TemplateScope {
  return { kind: clusterScope === true ? 'cluster' : 'namespaced', name };
}

/** The object that a scope other than `local` names. @throws NodeError when it does not exist */
export function objectOf(facts: Facts, { kind, name }: TemplateScope): WorkflowTemplate {
  const [plural, objects] =
    kind === 'cluster'
      ? ['clusterworkflowtemplates', facts.clusterWorkflowTemplates]
      : ['workflowtemplates', facts.workflowTemplates];
  const object = objects.get(name);
  if (object === undefined) throw new NodeError(`${plural}.argoproj.io "${name}" not found`);
  return object;
}
