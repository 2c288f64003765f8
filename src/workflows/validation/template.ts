import type { Template } from '../kinds/template.ts';
import { mergeDefaults, TemplateDefaultsError } from '../kinds/template-defaults.ts';
import { type TemplateTypeField, typeName, typesOf } from '../kinds/template-type.ts';
import type { WorkflowSpec } from '../kinds/workflow.ts';
import { checkArgumentNames } from './arguments.ts';
import { checkDag } from './dag.ts';
import { checkLeaf } from './leaf.ts';
import type { FoundTemplate, TemplateLibrary } from './library.ts';
import { checkMetrics } from './metrics.ts';
import { checkOutputs } from './outputs.ts';
import type { Problems } from './problem.ts';
import type { Scope } from './scope.ts';
import { checkSteps } from './steps.ts';
import { missingInputs } from './supplied.ts';
import { templateScope } from './template-scope.ts';
import type { VisitedTemplate, Walk } from './walk.ts';

const RETRY_POLICIES = ['', 'Always', 'OnFailure', 'OnError', 'OnTransientError'];
const COMPOSITE = new Set<TemplateTypeField>(['steps', 'dag']);

/** Begins the walk over templates: each is checked once, the way the first call to it led. */
export function startWalk(
  problems: Problems,
  library: TemplateLibrary,
  globals: Scope,
  defaults: WorkflowSpec,
): Walk {
  const visited = new Set<Template>();
  const walk: Walk = {
    problems,
    library,
    globals,
    visit: (found, prefix, args) => {
      const { path } = found;
      const template = asItRuns(problems, found, defaults);
      for (const sentence of missingInputs(template, args))
        problems.add(`${path}.inputs`, `${prefix}templates.${template.name ?? ''} ${sentence}`);
      if (visited.has(found.template)) return;
      visited.add(found.template);
      checkTemplate(walk, { template, found, prefix, scope: templateScope(globals, template) });
    },
  };
  return walk;
}

/** A template with the defaults of the workflow below it. Those of steps and tasks are for the templates that they call. */
function asItRuns(problems: Problems, { template, path }: FoundTemplate, spec: WorkflowSpec): Template {
  if (template.steps !== undefined || template.dag !== undefined) return template;
  const { parallelism: _notOfLeaves, ...templateDefaults } = spec.templateDefaults ?? {};
  try {
    return mergeDefaults(template, { templateDefaults });
  } catch (error) {
    if (!(error instanceof TemplateDefaultsError)) throw error;
    problems.add(path, error.message);
    return template;
  }
}

function checkTemplate(walk: Walk, visited: VisitedTemplate): void {
  const { template, found, prefix } = visited;
  const { problems } = walk;
  const types = typesOf(template);
  const [type] = types;
  if (type === undefined) {
    problems.add(found.path, `${prefix}template '${template.name ?? ''}' type is unknown`);
    return;
  }
  if (types.length > 1) {
    problems.add(
      found.path,
      `${prefix}templates.${template.name ?? ''} multiple template types specified. choose one of: container, ` +
        'containerSet, steps, script, resource, dag, suspend, template, template ref',
    );
    return;
  }
  checkArgumentNames(problems, template.inputs, `${found.path}.inputs`);
  checkRetry(problems, template, found.path, prefix);
  if (COMPOSITE.has(type)) {
    checkComposite(problems, template, type, found.path, prefix);
    if (type === 'steps') checkSteps(walk, visited);
    else checkDag(walk, visited);
  } else {
    checkLeaf(problems, visited, type);
  }
  checkOutputs(problems, template, type, found.path);
  checkMetrics(problems, template, found.path);
}

function checkRetry(problems: Problems, { retryStrategy }: Template, path: string, prefix: string): void {
  const policy = retryStrategy?.retryPolicy ?? '';
  if (!RETRY_POLICIES.includes(policy))
    problems.add(`${path}.retryStrategy.retryPolicy`, `${prefix}${policy} is not a valid RetryPolicy`);
}

/** Limits in time are those of a pod, and steps and tasks have none. */
function checkComposite(
  problems: Problems,
  template: Template,
  type: TemplateTypeField,
  path: string,
  prefix: string,
): void {
  if (template.timeout !== undefined)
    problems.add(`${path}.timeout`, `${prefix}${typeName(type)} template doesn't support timeout field`);
  if (template.activeDeadlineSeconds !== undefined)
    problems.add(
      `${path}.activeDeadlineSeconds`,
      `${prefix}templates.${template.name ?? ''}.activeDeadlineSeconds is only valid for leaf templates`,
    );
}
