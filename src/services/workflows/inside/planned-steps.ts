import { taskReferences } from '@turnsole/workflows/kinds/depends';
import { isLoop, loopFields } from '@turnsole/workflows/kinds/loop';
import { elementName, itemNames, itemsOf, LoopError } from '@turnsole/workflows/kinds/loop-items';
import type { Arguments, Artifact, Parameter } from '@turnsole/workflows/kinds/parameters';
import type { DagTask, Template, WorkflowStep } from '@turnsole/workflows/kinds/template';
import type { Workflow, WorkflowSpec } from '@turnsole/workflows/kinds/workflow';
import {
  findTemplate,
  isFound,
  type TemplateLibrary,
  type TemplateObject,
} from '@turnsole/workflows/validation/library';
import { dependencyOrder } from '@turnsole/workflows/validation/task-order';
import { hasTags, type Names, replaceTags, replaceTagsIn } from './tags.ts';

/** A step that a workflow would run, as far as that is known before. */
export interface PlannedStep {
  /** `2` or `2.1`: those with the same number run side by side. */
  readonly number: string;
  readonly name: string;
  readonly template: string;
  /** Whether it does something itself; other steps only group. */
  readonly isLeaf: boolean;
  /** Why it may not run, or run several times: `when`, loops, `depends`. */
  readonly remarks: readonly string[];
  readonly found: Template;
  /** The values of the template's tags, as far as they are known. */
  readonly names: Names;
  readonly artifacts: readonly Artifact[];
  /** Path of the template for people. */
  readonly path: string;
}

/** Deeper templates mostly call themselves. */
const MAX_DEPTH = 20;
const MAX_STEPS = 500;
/** Elements of a loop that are listed one by one. */
const MAX_ITEMS = 20;

/** The steps of a workflow in the order in which they would begin. Pure but for the library's look-ups. */
export function plannedSteps(workflow: Workflow, library: TemplateLibrary): PlannedStep[] {
  const { metadata, spec } = workflow;
  const object = objectOf(spec, library);
  if (object === undefined) return [];
  const effective = { ...object.spec, ...spec };
  const parameters = [...(object.spec.arguments?.parameters ?? []), ...(spec.arguments?.parameters ?? [])];
  const names = new Map<string, string>([
    ['workflow.namespace', metadata.namespace ?? ''],
    ['workflow.serviceAccountName', effective.serviceAccountName ?? ''],
    ...namesOf('workflow.parameters', parameters),
  ]);
  if (metadata.uid !== undefined) names.set('workflow.uid', metadata.uid);
  // A name that the cluster draws is not known.
  if (metadata.name !== undefined) names.set('workflow.name', metadata.name);
  const walk = new Walk(library, names);
  walk.visit(
    { name: 'the workflow', template: effective.entrypoint ?? '', arguments: effective.arguments ?? {} },
    object,
    '',
    0,
  );
  const handlers = [effective.onExit, effective.hooks?.['exit']?.template].filter(
    (template) => template !== undefined,
  );
  for (const template of handlers) {
    walk.visit({ name: 'exit handler', template, arguments: effective.arguments ?? {} }, object, 'exit', 0);
  }
  return walk.steps;
}

function objectOf(spec: WorkflowSpec, library: TemplateLibrary): TemplateObject | undefined {
  if (spec.workflowTemplateRef === undefined) return { spec, path: 'spec.templates' };
  return library.find(spec.workflowTemplateRef);
}

function namesOf(prefix: string, parameters: readonly Parameter[] = []): [string, string][] {
  return parameters.flatMap(({ name, value, default: fallback }) => {
    const known = value ?? fallback;
    return known === undefined ? [] : [[`${prefix}.${name}`, known]];
  });
}

class Walk {
  readonly steps: PlannedStep[] = [];
  readonly #library: TemplateLibrary;
  readonly #globals: Names;

  constructor(library: TemplateLibrary, globals: Names) {
    this.#library = library;
    this.#globals = globals;
  }

  visit(
    step: WorkflowStep,
    object: TemplateObject,
    number: string,
    depth: number,
    remarks: readonly string[] = [],
  ): void {
    const found = findTemplate(step, object, '', this.#library);
    if (!isFound(found) || this.steps.length >= MAX_STEPS) return;
    const { template, path } = found;
    const names = new Map([...this.#globals, ...inputNames(template, step.arguments)]);
    const isLeaf = template.steps === undefined && template.dag === undefined;
    const isTooDeep = depth >= MAX_DEPTH;
    this.steps.push({
      number,
      name: step.name,
      template: template.name ?? step.template ?? 'inline',
      isLeaf,
      remarks: isTooDeep && !isLeaf ? [...remarks, 'calls itself; not followed any further'] : remarks,
      found: template,
      names,
      artifacts: inputArtifacts(template, step.arguments),
      path,
    });
    if (isTooDeep) return;
    const below = (inner: WorkflowStep, at: number, more: readonly string[]): void =>
      this.#element(
        inner,
        found.object,
        number === '' ? String(at) : `${number}.${at}`,
        depth + 1,
        names,
        more,
      );
    for (const [index, group] of (template.steps ?? []).entries()) {
      for (const inner of group) below(inner, index + 1, []);
    }
    const { tasks = [] } = template.dag ?? {};
    for (const { task, level } of levelled(tasks)) {
      const { depends } = task;
      below(task, level + 1, depends === undefined || depends === '' ? [] : [`depends on ${depends}`]);
    }
  }

  /** A step with the known values of its arguments, once for each element of its loop. */
  #element(
    step: WorkflowStep,
    object: TemplateObject,
    number: string,
    depth: number,
    names: Names,
    more: readonly string[],
  ): void {
    const { when } = step;
    const remarks = [...more, ...(when === undefined ? [] : [`only when ${replaceTags(when, names)}`])];
    if (!isLoop(step)) {
      this.visit(withValues(step, names), object, number, depth, remarks);
      return;
    }
    const known = replaceTagsIn(step, names);
    const items = knownItems(known);
    if (items !== undefined && items.length > 0 && items.length <= MAX_ITEMS) {
      for (const [index, item] of items.entries()) {
        const of = new Map([...names, ...itemNames(item)]);
        const named = { ...withValues(step, of), name: elementName(step.name, index, item) };
        this.visit(named, object, number, depth, remarks);
      }
      return;
    }
    const all = [...remarks, `for each of ${loopText(known, items)}`];
    this.visit(withValues(step, names), object, number, depth, all);
  }
}

/** What tags of a template's inputs stand for. */
function inputNames({ inputs }: Template, args: Arguments | undefined): [string, string][] {
  return (inputs?.parameters ?? []).flatMap(({ name, value, default: fallback }) => {
    const given = args?.parameters?.find((parameter) => parameter.name === name);
    const known = given?.value ?? value ?? given?.default ?? fallback;
    return known === undefined ? [] : [[`inputs.parameters.${name}`, known] as [string, string]];
  });
}

/** Artifacts of a template, those without content with that of the call. */
function inputArtifacts({ inputs }: Template, args: Arguments | undefined): Artifact[] {
  return (inputs?.artifacts ?? []).map((artifact) => {
    const given = args?.artifacts?.find(({ name }) => name === artifact.name);
    return given === undefined
      ? artifact
      : { ...artifact, ...given, ...(artifact.path !== undefined && { path: artifact.path }) };
  });
}

/** A call whose arguments have the values that are known. */
function withValues(step: WorkflowStep, names: Names): WorkflowStep {
  const { parameters = [], artifacts } = step.arguments ?? {};
  return {
    ...step,
    arguments: {
      ...(artifacts !== undefined && { artifacts }),
      parameters: parameters.map((parameter) =>
        parameter.value === undefined
          ? parameter
          : { ...parameter, value: replaceTags(parameter.value, names) },
      ),
    },
  };
}

/** Elements of a loop; undefined where there is no loop, or only the run can tell them. */
function knownItems(step: WorkflowStep): readonly unknown[] | undefined {
  const [field] = loopFields(step);
  // A tag in a list stands for a part of one element.
  if (field !== undefined && field !== 'withItems' && hasTags(step[field])) return undefined;
  try {
    return itemsOf(step);
  } catch (error) {
    // The run refuses it in words of its own.
    if (!(error instanceof LoopError)) throw error;
    return undefined;
  }
}

function loopText(
  { withItems = [], withParam }: WorkflowStep,
  known: readonly unknown[] = withItems,
): string {
  if (known.length > 0) return `${known.length} items`;
  return withParam ?? 'a sequence';
}

/** Tasks by how many others have to end before each. Those that wait for each other in a circle are refused elsewhere. */
function levelled(tasks: readonly DagTask[]): { readonly task: DagTask; readonly level: number }[] {
  const needs = new Map(
    tasks.map((task) => [task.name, taskReferences(task).map((reference) => reference.task)]),
  );
  const known = [...needs.values()].flat().every((name) => needs.has(name));
  const order = known ? dependencyOrder(needs) : undefined;
  if (order === undefined) return tasks.map((task) => ({ task, level: 0 }));
  const levels = new Map<string, number>();
  for (const name of order.names)
    levels.set(name, Math.max(-1, ...(needs.get(name) ?? []).map((before) => levels.get(before) ?? 0)) + 1);
  return tasks
    .map((task) => ({ task, level: levels.get(task.name) ?? 0 }))
    .toSorted((a, b) => a.level - b.level);
}
