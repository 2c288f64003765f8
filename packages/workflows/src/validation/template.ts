import { saysWhere } from '../artifacts/location.ts';
import type { Arguments, Parameter } from '../kinds/parameters.ts';
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
import { checkPodResources } from './pod-resources.ts';
import type { ProblemSink, Problems } from './problem.ts';
import type { Scope } from './scope.ts';
import { checkSteps } from './steps.ts';
import { checkTemplateArtifacts } from './template-artifacts.ts';
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
  const own = problems.within(prefix);
  checkArgumentNames(own, template.inputs, `${found.path}.inputs`, `templates.${template.name ?? ''}.inputs`);
  checkRetry(problems, template, found.path, prefix);
  checkTemplateArtifacts(own, template, type, found.path);
  checkPod(own, template, type, found.path);
  if (COMPOSITE.has(type)) {
    checkComposite(problems, template, type, found.path, prefix);
    if (type === 'steps') checkSteps(walk, visited);
    else checkDag(walk, visited);
  } else {
    checkLeaf(problems, visited);
  }
  checkOutputs(own, template, type, found.path);
  checkMetrics(own, template, found.path);
}

function checkRetry(problems: Problems, { retryStrategy }: Template, path: string, prefix: string): void {
  const policy = retryStrategy?.retryPolicy ?? '';
  if (!RETRY_POLICIES.includes(policy))
    problems.add(`${path}.retryStrategy.retryPolicy`, `${prefix}${policy} is not a valid RetryPolicy`);
}

/** Templates whose nodes are pods of their own. */
const PODS = new Set<TemplateTypeField>(['container', 'containerSet', 'script', 'resource', 'data']);
/** Those that are carried out by a pod that others share. */
const OF_AGENT = new Set<TemplateTypeField>(['http', 'plugin']);

function checkPod(problems: ProblemSink, template: Template, type: TemplateTypeField, path: string): void {
  const where = `templates.${template.name ?? ''}`;
  const { podResources, resourceClaims = [], initContainers = [] } = template;
  if (podResources !== undefined && OF_AGENT.has(type))
    problems.add(
      `${path}.podResources`,
      `${where}.podResources is not supported for ${typeName(type)} templates`,
    );
  checkPodResources(problems, podResources, `${path}.podResources`, `${where}.podResources`);
  if (resourceClaims.length > 0 && !PODS.has(type))
    problems.add(
      `${path}.resourceClaims`,
      `${where}.resourceClaims is not supported for ${typeName(type)} templates, which do not create a pod`,
    );
  for (const [index, { name = '' }] of initContainers.entries()) {
    if (name === '')
      problems.add(`${path}.initContainers[${index}].name`, 'initContainers must all have container name');
  }
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
  if (template.pendingTimeout !== undefined)
    problems.add(
      `${path}.pendingTimeout`,
      `${prefix}${typeName(type)} template doesn't support pendingTimeout field`,
    );
  if (template.activeDeadlineSeconds !== undefined)
    problems.add(
      `${path}.activeDeadlineSeconds`,
      `${prefix}templates.${template.name ?? ''}.activeDeadlineSeconds is only valid for leaf templates`,
    );
}

/** Sentences about the inputs that a call leaves without a value. Pure. */
function missingInputs(template: Template, args: Arguments | undefined): string[] {
  const given = new Set(args?.parameters?.map(({ name }) => name));
  const givenArtifacts = new Set(args?.artifacts?.map(({ name }) => name));
  return [
    ...(template.inputs?.parameters ?? [])
      .filter((parameter) => !given.has(parameter.name) && !hasOwnValue(parameter))
      .map(({ name }) => `inputs.parameters.${name} was not supplied`),
    ...(template.inputs?.artifacts ?? [])
      .filter(
        (artifact) =>
          !givenArtifacts.has(artifact.name) && artifact.optional !== true && !saysWhere(artifact),
      )
      .map(({ name }) => `inputs.artifacts.${name} was not supplied`),
  ];
}

function hasOwnValue({ value, valueFrom, ...parameter }: Parameter): boolean {
  return value !== undefined || valueFrom !== undefined || parameter.default !== undefined;
}
