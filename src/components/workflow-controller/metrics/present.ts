import type { Pod } from '@turnsole/kube/kinds/core';
import { isCompleted } from '@turnsole/workflows/kinds/completed';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';

const PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Error'] as const;
const POD_PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'] as const;

/** How many exist; each phase has its number, even 0. */
export interface Present {
  readonly workflows: ReadonlyMap<string, number>;
  readonly pods: ReadonlyMap<string, number>;
  /** Workflows that are not over, by whether pods of them run: `True` or `False`. */
  readonly podRunning: ReadonlyMap<string, number>;
}

/** Counts what the local copies have. Pure. */
export function countPresent(workflows: readonly Workflow[], pods: readonly Pod[]): Present {
  return {
    workflows: countIn(
      PHASES,
      workflows.map(({ status }) => status?.phase),
    ),
    pods: countIn(
      POD_PHASES,
      pods.map(({ status }) => status?.phase),
    ),
    podRunning: countIn(
      ['True', 'False'],
      workflows
        .filter((workflow) => !isCompleted(workflow))
        .map(({ status }) => status?.conditions?.find(({ type }) => type === 'PodRunning')?.status),
    ),
  };
}

function countIn(
  words: readonly string[],
  found: readonly (string | undefined)[],
): ReadonlyMap<string, number> {
  const counts = new Map(words.map((word) => [word, 0]));
  for (const word of found) {
    const count = word === undefined ? undefined : counts.get(word);
    if (word !== undefined && count !== undefined) counts.set(word, count + 1);
  }
  return counts;
}
