import { evaluateExpression } from '../../expression/evaluate.ts';
import { newMap, type Value } from '../../expression/values.ts';
import type { TASK_RESULTS } from '../../kinds/depends.ts';
import type { DagTask } from '../../kinds/template.ts';

/** The state of a task that another one depends on. */
export type TaskResult = Readonly<Record<(typeof TASK_RESULTS)[number], boolean>>;

const OPERAND = /[A-Za-z0-9][-A-Za-z0-9]*(?:\.[A-Za-z]+)?/g;

/** The condition of a task: its own, or all of its dependencies. Empty without both. */
export function dependsText(task: DagTask, taskOf: (name: string) => DagTask | undefined): string {
  if (task.depends !== undefined && task.depends !== '') return task.depends;
  return (task.dependencies ?? []).map((name) => bareResults(name, taskOf(name))).join(' && ');
}

/** `dependencies` respect `continueOn` of what they name. */
function bareResults(name: string, task: DagTask | undefined): string {
  const results = ['Succeeded', 'Skipped', 'Daemoned'];
  if (task?.continueOn?.failed === true) results.push('Failed');
  if (task?.continueOn?.error === true) results.push('Errored');
  return `(${results.map((result) => `${name}.${result}`).join(' || ')})`;
}

/** Whether a condition holds. Names with a dash are none in the expression language, so each operand gets a name of its own. */
export function evaluateDepends(depends: string, resultOf: (task: string) => TaskResult): boolean {
  const values: [string, Value][] = [];
  const expression = depends.replaceAll(OPERAND, (operand) => {
    const [task = '', result] = operand.split('.');
    const known = resultOf(task);
    const value =
      result === undefined
        ? known.Succeeded || known.Skipped || known.Daemoned
        : (known[result as keyof TaskResult] ?? false);
    const name = `operand${values.length}`;
    values.push([name, value]);
    return name;
  });
  return evaluateExpression(expression, newMap(values)) === true;
}
