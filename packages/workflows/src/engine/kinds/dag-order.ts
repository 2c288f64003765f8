import type { Frame } from '../frames.ts';

/** The targets of a dag: the listed ones, or every task that no other waits for, sorted by name. */
export function targetsOf({ template, dependants, members }: Frame): string[] {
  const listed = template.dag?.target?.split(/\s+/).filter((name) => name !== '') ?? [];
  if (listed.length > 0) return listed;
  return [...members.keys()].filter((name) => !dependants.has(name)).sort();
}

const orders = new WeakMap<Frame, readonly string[]>();

/** The tasks that lead to the targets, each after what it waits for. */
export function orderedTasks(frame: Frame): readonly string[] {
  const known = orders.get(frame);
  if (known !== undefined) return known;
  const seen = new Set<string>();
  const order: string[] = [];
  // Without recursion: a chain may be longer than the stack is deep.
  const stack: [task: string, isDone: boolean][] = targetsOf(frame)
    .toReversed()
    .map((task) => [task, false]);
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [task, isDone] = next;
    if (isDone) order.push(task);
    if (isDone || seen.has(task)) continue;
    seen.add(task);
    stack.push([task, true]);
    for (const name of (frame.inputs.get(task) ?? []).toReversed()) stack.push([name, false]);
  }
  orders.set(frame, order);
  return order;
}

const ranks = new WeakMap<Frame, ReadonlyMap<string, number>>();

/** Some of the tasks that lead to the targets, in the order of all. */
export function inOrder(frame: Frame, tasks: readonly string[]): string[] {
  const rank = ranks.get(frame) ?? new Map(orderedTasks(frame).map((task, index) => [task, index]));
  ranks.set(frame, rank);
  return tasks.filter((task) => rank.has(task)).sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
}
