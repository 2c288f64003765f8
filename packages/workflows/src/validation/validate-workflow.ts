import { compileLabelSelector, LabelSelectorError } from '@turnsole/kube/text/label-selector';
import { labelValueProblems, qualifiedNameProblems } from '@turnsole/kube/text/names';
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts';
import type { Arguments } from '../kinds/parameters.ts';
import type { Template } from '../kinds/template.ts';
import type { Workflow, WorkflowSpec } from '../kinds/workflow.ts';
import { checkArgumentNames, checkWorkflowArguments } from './arguments.ts';
import { checkHooks } from './calls.ts';
import { checkNames, placedNames, TEMPLATE_NAME } from './field-names.ts';
import { globalScope, type MetadataNames } from './globals.ts';
import {
  type FoundTemplate,
  findTemplate,
  isFound,
  type TemplateLibrary,
  type TemplateObject,
} from './library.ts';
import { malformedFields } from './malformed.ts';
import { checkPodResources } from './pod-resources.ts';
import { Problems, type WorkflowProblem } from './problem.ts';
import { startWalk } from './template.ts';

/** Longer names would not fit into the names and labels of pods. */
const LONGEST_NAME = 63;
const POD_GC = ['', 'OnPodCompletion', 'OnPodSuccess', 'OnWorkflowCompletion', 'OnWorkflowSuccess'];

interface WorkflowValidationOptions {
  /** What the workflow may refer to. */
  readonly library: TemplateLibrary;
  /**
   * A library of templates (WorkflowTemplate): it needs no entrypoint, and its arguments may get their values when it is used.
   * @default false
   */
  readonly isLibrary?: boolean;
  /** A manifest that is only looked at: its arguments may get their values when it is submitted. @default false */
  readonly isLint?: boolean;
}

/**
 * Everything that is wrong with a workflow, as decoded, before anything of it starts. Empty where nothing is. The first problem is the
 * one that Argo's controller names; it stores `invalid spec: <text>` as the workflow's message. Pure but for the library's look-ups.
 */
export function validateWorkflow(workflow: Workflow, options: WorkflowValidationOptions): WorkflowProblem[] {
  const problems = new Problems();
  const { name } = workflow.metadata;
  if (name !== undefined && name.length > LONGEST_NAME)
    problems.add(
      'metadata.name',
      `workflow name "${name}" must not be more than ${LONGEST_NAME} characters long (currently ${name.length})`,
    );
  // Decoding keeps what it cannot read, and nothing below could walk over it.
  const malformed = malformedFields('Workflow', workflow.spec);
  if (malformed.length > 0) return [...problems.list(), ...malformed];
  const object = templatesOf(workflow, options.library, problems);
  if (object === undefined) return problems.list();
  checkSpec(workflow, object, options, problems);
  return problems.list();
}

/** The templates that the workflow runs: its own, or those of the object it refers to as a whole. */
function templatesOf(
  { spec }: Workflow,
  library: TemplateLibrary,
  problems: Problems,
): TemplateObject | undefined {
  const { workflowTemplateRef: reference, templates = [] } = spec;
  if (reference === undefined) return { spec, path: 'spec.templates' };
  if (templates.length > 0) {
    problems.add(
      'spec.templates',
      'Templates is invalid field in spec if workflow referred WorkflowTemplate reference',
    );
    return undefined;
  }
  const found = library.find(reference);
  if (found === undefined)
    problems.add('spec.workflowTemplateRef', `workflow template reference ${reference.name} not found`);
  return found;
}

function checkSpec(
  workflow: Workflow,
  object: TemplateObject,
  { library, isLibrary = false, isLint = false }: WorkflowValidationOptions,
  problems: Problems,
): void {
  const spec = effectiveSpec(workflow.spec, object.spec);
  const { templates = [] } = spec;
  checkNames(problems, placedNames(templates, object.path), TEMPLATE_NAME);
  checkArgumentNames(problems, spec.arguments, 'spec.arguments');
  checkWorkflowArguments(problems, spec.arguments, isLibrary || isLint);
  const metadata = withMetadataOf(workflow.metadata, spec, object.spec);
  const walk = startWalk(problems, library, globalScope(spec, metadata, isLibrary), spec);
  if ((spec.entrypoint ?? '') === '' && !isLibrary)
    problems.add('spec.entrypoint', 'spec.entrypoint is required');
  const named: readonly (readonly [field: string, template: string | undefined])[] = [
    ['entrypoint', spec.entrypoint],
    ['onExit', spec.onExit],
  ];
  for (const [field, template] of named) {
    if (template === undefined || template === '') continue;
    const found = findTemplate({ template }, object, `spec.${field}`, library);
    if (typeof found === 'string') problems.add(`spec.${field}`, found);
    else if (isFound(found)) walk.visit(found, '', isLibrary ? placeholders(found.template) : spec.arguments);
  }
  checkHooks(walk, spec.hooks, object, { path: 'spec', where: 'hooks', prefix: '' });
  checkPodGc(problems, spec);
  checkPodResources(problems, spec.podResources, 'spec.podResources', 'spec.podResources');
  for (const [index, template] of templates.entries()) {
    const found: FoundTemplate = { template, object, path: `${object.path}[${index}]` };
    walk.visit(found, `templates.${template.name ?? ''} `, placeholders(template));
  }
}

/** The workflow's own settings over those of the object that it runs; of arguments, each by its name. */
function effectiveSpec(own: WorkflowSpec, referred: WorkflowSpec): WorkflowSpec {
  if (own === referred) return own;
  return {
    ...referred,
    ...own,
    templates: referred.templates,
    arguments: {
      parameters: byName(referred.arguments?.parameters, own.arguments?.parameters),
      artifacts: byName(referred.arguments?.artifacts, own.arguments?.artifacts),
    },
  };
}

/** The later of those that have one name. */
function byName<T extends { readonly name: string }>(
  below: readonly T[] | undefined,
  above: readonly T[] | undefined,
): T[] {
  return [...new Map([...(below ?? []), ...(above ?? [])].map((one) => [one.name, one])).values()];
}

/** Names of the labels and annotations that the workflow has or gets. */
function withMetadataOf(
  { labels, annotations }: Workflow['metadata'],
  ...specs: readonly WorkflowSpec[]
): MetadataNames {
  const given = specs.map(({ workflowMetadata }) => workflowMetadata ?? {});
  return {
    labels: [labels, ...given.flatMap((one) => [one.labels, one.labelsFrom])].flatMap(keysOf),
    annotations: [annotations, ...given.map((one) => one.annotations)].flatMap(keysOf),
  };
}

function keysOf(map: object | undefined): string[] {
  return Object.keys(map ?? {});
}

function checkPodGc(problems: Problems, { podGC }: WorkflowSpec): void {
  const strategy = podGC?.strategy ?? '';
  if (!POD_GC.includes(strategy))
    problems.add('spec.podGC.strategy', `podGC.strategy unknown strategy '${strategy}'`);
  const selector = selectorProblem(podGC?.labelSelector);
  if (selector !== undefined)
    problems.add('spec.podGC.labelSelector', `podGC.labelSelector invalid: ${selector}`);
}

function selectorProblem(selector: LabelSelector | undefined): string | undefined {
  try {
    const [problem] = (compileLabelSelector(selector) ?? []).flatMap(({ key, values }) => [
      ...qualifiedNameProblems(key),
      ...values.flatMap(labelValueProblems),
    ]);
    return problem;
  } catch (error) {
    if (error instanceof LabelSelectorError) return error.message;
    throw error;
  }
}

/** A template that nothing calls is checked as if its caller had given it everything. */
function placeholders({ inputs }: Template): Arguments | undefined {
  return inputs;
}
