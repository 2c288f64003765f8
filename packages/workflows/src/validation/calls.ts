import { Budget } from '../expression/budget.ts';
import { ExpressionError } from '../expression/errors.ts';
import { parseExpression } from '../expression/expr/parser.ts';
import { loopFields } from '../kinds/loop.ts';
import type { LifecycleHooks, TemplateRef, WorkflowStep } from '../kinds/template.ts';
import { checkCallArguments } from './arguments.ts';
import { type FOUND_LATER, type FoundTemplate, findTemplate, isFound } from './library.ts';
import type { Scope } from './scope.ts';
import { unknownTags } from './scope.ts';
import { elementNames } from './template-scope.ts';
import type { VisitedTemplate, Walk } from './walk.ts';

/** A step or task, where it stands, and how Argo names that place. */
export interface PlacedCall {
  readonly call: WorkflowStep;
  readonly path: string;
  /** `templates.main.steps[0].a` or `templates.main.tasks.a`. */
  readonly where: string;
  /** Whatever it calls; a sentence where that cannot be found. */
  readonly found: FoundTemplate | string | typeof FOUND_LATER;
}

/** Looks up what a step or task calls. */
export function placeCall(
  walk: Walk,
  visited: VisitedTemplate,
  call: WorkflowStep,
  path: string,
  where: string,
): PlacedCall {
  return { call, path, where, found: findTemplate(call, visited.found.object, path, walk.library) };
}

/** What holds for a step or task by itself, and for what it calls. */
export function checkCall(walk: Walk, { call, path, where, found }: PlacedCall, prefix: string): void {
  const { problems } = walk;
  checkLoop(walk, call, path, `${prefix}${where}`);
  checkReference(walk, call, path, `${prefix}${where}`);
  checkCallArguments(problems, call.arguments, `${path}.arguments`, `${prefix}${where}`);
  if (typeof found === 'string') problems.add(path, `${prefix}${where} ${found}`);
  else if (isFound(found)) walk.visit(found, `${prefix}${where} `, call.arguments);
}

/** Tags of a step or task itself, and of its hooks, which may also name the node that they belong to. */
export function checkCallTags(
  walk: Walk,
  { call, path }: PlacedCall,
  sentenceStart: string,
  scope: Scope,
  own: { readonly names: readonly string[]; readonly prefixes: readonly string[] },
): void {
  const { hooks, inline: _inline, ...rest } = call;
  const { names, prefixes } = elementNames(call);
  const inLoop = scope.with(names, prefixes);
  const tags = [
    ...unknownTags(rest, inLoop),
    ...unknownTags(hooks, inLoop.with(own.names, own.prefixes), '.hooks'),
  ];
  for (const { path: below, tag } of tags)
    walk.problems.add(`${path}${below}`, `${sentenceStart}failed to resolve ${tag}`);
}

/** Hooks of a step, a task or a workflow: every one but `exit` needs to say when it starts. */
export function checkHooks(
  walk: Walk,
  hooks: LifecycleHooks | undefined,
  object: FoundTemplate['object'],
  place: { readonly path: string; readonly where: string; readonly prefix: string },
): void {
  for (const [name, hook] of Object.entries(hooks ?? {})) {
    const path = `${place.path}.hooks.${name}`;
    if (name !== 'exit' && (hook.expression ?? '') === '')
      walk.problems.add(path, `${place.prefix}${place.where}.${name} Expression required`);
    const problem = expressionProblem(hook.expression);
    if (problem !== undefined)
      walk.problems.add(`${path}.expression`, `${place.prefix}${place.where}.${name}.expression: ${problem}`);
    const found = findTemplate(hook, object, path, walk.library);
    if (typeof found === 'string') walk.problems.add(path, `${place.prefix}${found}`);
    else if (isFound(found)) walk.visit(found, place.prefix, hook.arguments);
  }
}

/** A hook whose expression does not parse would never start, and nothing would say so. Tags are filled in only later. */
function expressionProblem(expression = ''): string | undefined {
  if (expression === '' || expression.includes('{{')) return undefined;
  try {
    parseExpression(expression, new Budget());
    return undefined;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return error.message;
  }
}

/** A reference names an object and a template, and stands alone. */
function checkReference({ problems }: Walk, call: WorkflowStep, path: string, where: string): void {
  const { template = '', templateRef } = call;
  if (templateRef === undefined) return;
  if (template !== '')
    problems.add(`${path}.template`, `${where} template name cannot be specified with templateRef`);
  const { name = '', template: referred = '' } = templateRef as Partial<TemplateRef>;
  if (name === '') problems.add(`${path}.templateRef.name`, `${where} resource name is required`);
  else if (referred === '')
    problems.add(`${path}.templateRef.template`, `${where} template name is required`);
}

function checkLoop({ problems }: Walk, call: WorkflowStep, path: string, where: string): void {
  const { withSequence } = call;
  if (loopFields(call).length > 1)
    problems.add(path, `${where} only one of withItems, withParam, withSequence can be specified`);
  if (withSequence?.count !== undefined && withSequence.end !== undefined)
    problems.add(`${path}.withSequence`, `${where} only one of count or end can be defined in withSequence`);
}
