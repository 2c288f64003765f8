import { TASK_RESULTS, type TaskReference, taskReferences } from '../kinds/depends.ts';
import { isLoop } from '../kinds/loop.ts';
import type { DagTask } from '../kinds/template.ts';
import { checkCall, checkCallTags, checkHooks, type PlacedCall, placeCall } from './calls.ts';
import { CALL_NAME, checkNames } from './field-names.ts';
import { unknownTags } from './scope.ts';
import { type DependencyOrder, dependencyOrder } from './task-order.ts';
import { hasOutputList, resultNames } from './template-scope.ts';
import type { VisitedTemplate, Walk } from './walk.ts';

/** Results that only a task with a loop has. */
const OF_LOOPS = new Set(['AnySucceeded', 'AllFailed']);

/** A task with what it waits for. */
interface PlacedTask extends PlacedCall {
  readonly task: DagTask;
  readonly waitsFor: readonly TaskReference[];
}

/** Rules for a template of tasks: a task may name those that it waits for, directly or not. */
export function checkDag(walk: Walk, visited: VisitedTemplate): void {
  const { template, found, prefix } = visited;
  const { problems } = walk;
  const where = `${prefix}templates.${template.name ?? ''}`;
  const path = `${found.path}.dag`;
  const tasks = (template.dag?.tasks ?? []).map((task, index): PlacedTask => {
    const place = `${path}.tasks[${index}]`;
    const name = `templates.${template.name ?? ''}.tasks.${task.name}`;
    return { ...placeCall(walk, visited, task, place, name), task, waitsFor: taskReferences(task) };
  });
  if (tasks.length === 0) problems.add(path, `${where} must have at least one task`);
  checkTaskNames(walk, tasks, where, prefix);
  checkSpellings(walk, tasks, path, where);
  const order = checkOrder(walk, tasks, path, where);
  if (order === undefined) return;
  for (const placed of order.tasks) checkTask(walk, visited, placed, order);
  const scope = visited.scope.with(...allNames(tasks));
  for (const { path: below, tag } of unknownTags(template.outputs, scope, '.outputs'))
    problems.add(`${found.path}${below}`, `${where}.outputs failed to resolve ${tag}`);
  for (const { tag } of unknownTags(template.dag?.target, visited.scope))
    problems.add(`${path}.target`, `${where}.targets failed to resolve ${tag}`);
  checkTargets(walk, template.dag?.target, tasks, path, where);
}

function checkTaskNames(
  { problems }: Walk,
  tasks: readonly PlacedTask[],
  where: string,
  prefix: string,
): void {
  checkNames(
    problems,
    tasks.map(({ call, path }, index) => ({ name: call.name, path, where: `${where}.tasks[${index}]` })),
    CALL_NAME,
  );
  if (!tasks.some(({ waitsFor }) => waitsFor.length > 0)) return;
  for (const { call, path, where: place } of tasks) {
    if (/^\d/.test(call.name))
      problems.add(
        `${path}.name`,
        `${prefix}${place} name cannot begin with a digit when using either 'depends' or 'dependencies'`,
      );
  }
}

/** One template keeps to one spelling of what its tasks wait for. */
function checkSpellings({ problems }: Walk, tasks: readonly PlacedTask[], path: string, where: string): void {
  const usesDepends = tasks.some(({ task }) => (task.depends ?? '') !== '');
  if (!usesDepends) return;
  if (tasks.some(({ task }) => (task.dependencies ?? []).length > 0))
    problems.add(path, `${where} cannot use both 'depends' and 'dependencies' in the same DAG template`);
  for (const { task, path: place } of tasks) {
    if (task.continueOn !== undefined)
      problems.add(
        `${place}.continueOn`,
        `${where} cannot use 'continueOn' when using 'depends'. Instead use 'dep-task.Failed'/'dep-task.Errored'`,
      );
  }
}

interface TaskOrder {
  /** Each task after those that it waits for. */
  readonly tasks: readonly PlacedTask[];
  readonly byName: ReadonlyMap<string, PlacedTask>;
  readonly waitsFor: DependencyOrder['waitsFor'];
}

function checkOrder(
  { problems }: Walk,
  tasks: readonly PlacedTask[],
  path: string,
  where: string,
): TaskOrder | undefined {
  const byName = new Map(tasks.map((task) => [task.call.name, task]));
  for (const { path: place, waitsFor } of tasks) {
    for (const { task } of waitsFor) {
      if (!byName.has(task)) problems.add(place, `${where} sorting failed: invalid dependency ${task}`);
    }
  }
  if (tasks.some(({ waitsFor }) => waitsFor.some(({ task }) => !byName.has(task)))) return undefined;
  const order = dependencyOrder(
    new Map(tasks.map(({ call, waitsFor }) => [call.name, waitsFor.map(({ task }) => task)])),
  );
  if (order === undefined) {
    problems.add(path, `${where} sorting failed: graph with cycle`);
    return undefined;
  }
  const ordered = order.names.flatMap((name) => byName.get(name) ?? []);
  return { tasks: ordered, byName, waitsFor: order.waitsFor };
}

function checkTask(
  walk: Walk,
  { found, prefix, scope }: VisitedTemplate,
  placed: PlacedTask,
  order: TaskOrder,
): void {
  checkResults(walk, placed, order, prefix);
  const late = scope.withLookup((name) => isOfTask(name, placed, order));
  const own = namesOf(placed);
  checkCallTags(walk, placed, `${prefix}${placed.where} `, late, own);
  checkMissingDependencies(walk, placed, order, prefix);
  checkCall(walk, placed, prefix);
  checkHooks(walk, placed.call.hooks, found.object, { path: placed.path, where: placed.where, prefix });
}

/** Whether a name is one of a task. The status is known of those that come before only, and of the task itself for its hooks. */
function isOfTask(name: string, { call }: PlacedTask, { byName, waitsFor }: TaskOrder): boolean {
  const task = byName.get(/^tasks\.([^.]+)\./.exec(name)?.[1] ?? '');
  if (task === undefined) return false;
  // Outputs of itself and of tasks that it does not wait for are accepted as Argo accepts them: in what the task is given they are an error of
  // the run.
  const isBefore = task.call !== call && waitsFor(call.name, task.call.name);
  if (!isBefore && name === `tasks.${task.call.name}.status`)
    return task.call === call && call.hooks !== undefined;
  const { names, prefixes } = namesOf(task);
  return names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

/** Results that `depends` asks for. */
function checkResults(
  { problems }: Walk,
  { path, where, waitsFor }: PlacedTask,
  { byName }: TaskOrder,
  prefix: string,
): void {
  const results: readonly string[] = TASK_RESULTS;
  for (const { task, result } of waitsFor) {
    if (result === undefined) continue;
    const isMissing = !results.includes(result);
    if (isMissing)
      problems.add(
        `${path}.depends`,
        `${prefix}${where} task result '${result}' for task '${task}' is invalid`,
      );
    else if (OF_LOOPS.has(result) && !isLoop(byName.get(task)?.call ?? { name: task }))
      problems.add(
        `${path}.depends`,
        `${prefix}${where} dependency '${task}' uses an items-based condition such as .AnySucceeded or .AllFailed but does not contain any items`,
      );
  }
}

/** A parameter or artifact that is an output of another task of the template needs that task to come before. */
function checkMissingDependencies(
  { problems }: Walk,
  { call, path, where }: PlacedTask,
  { byName, waitsFor }: TaskOrder,
  prefix: string,
): void {
  const { parameters = [], artifacts = [] } = call.arguments ?? {};
  const taken = [
    ...parameters.map(({ name, value }, at) => ({
      name,
      kind: 'parameter',
      of: value,
      field: `parameters[${at}].value`,
    })),
    ...artifacts.map(({ name, from }, at) => ({
      name,
      kind: 'artifact',
      of: from,
      field: `artifacts[${at}].from`,
    })),
  ];
  for (const { name, kind, of = '', field } of taken) {
    const other = /^\{\{tasks\.([^.{}]+)\./.exec(of)?.[1] ?? '';
    if (!byName.has(other) || waitsFor(call.name, other)) continue;
    problems.add(
      `${path}.arguments.${field}`,
      `${prefix}${where} missing dependency '${other}' for ${kind} '${name}'`,
    );
  }
}

function checkTargets(
  { problems }: Walk,
  target: string | undefined,
  tasks: readonly PlacedTask[],
  path: string,
  where: string,
): void {
  for (const name of (target ?? '').split(/\s+/).filter((part) => part !== '' && !part.includes('{{'))) {
    if (!tasks.some(({ call }) => call.name === name))
      problems.add(`${path}.target`, `${where}.targets: target '${name}' is not defined`);
  }
}

/** Names by which others may refer to a task. */
function namesOf({ call, found }: PlacedTask): ReturnType<typeof resultNames> {
  return resultNames(`tasks.${call.name}`, found, hasOutputList(call));
}

/** Those of several tasks, for a scope: all at once, since each larger scope is a copy. */
function allNames(tasks: readonly PlacedTask[]): [names: string[], prefixes: string[]] {
  const results = tasks.map(namesOf);
  return [results.flatMap(({ names }) => names), results.flatMap(({ prefixes }) => prefixes)];
}
