import type { DagTask } from './template.ts';

/** How a task that another one waits for may have ended. */
export const TASK_RESULTS = [
  'Succeeded',
  'Failed',
  'Errored',
  'Skipped',
  'Omitted',
  'Daemoned',
  'AnySucceeded',
  'AllFailed',
] as const;

/** A task that `depends` names, with the wanted result; by default it has to have gone well. */
export interface TaskReference {
  readonly task: string;
  readonly result: string | undefined;
}

const OPERAND = /([A-Za-z0-9_][-A-Za-z0-9_]*)(?:\.([A-Za-z0-9_]+))?/g;

/** The tasks that a task waits for, by either spelling, in the order of their naming. Pure. */
export function taskReferences({ dependencies, depends }: DagTask): TaskReference[] {
  if (depends === undefined || depends === '')
    return (dependencies ?? []).map((task) => ({ task, result: undefined }));
  return [...depends.matchAll(OPERAND)].map(([, task = '', result]) => ({ task, result }));
}
