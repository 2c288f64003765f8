import type { Condition } from '@turnsole/kube/kinds/conditions';
import { CONDITION_READY } from '../../../api/index.ts';
import type { CompiledPolicy } from '../policy/compile-policy.ts';
import type { SeenWorkload } from '../policy/workload.ts';
import { MAX_TRACKED } from './decide-triggers.ts';

/** Messages are for people. */
const MAX_CHARACTERS = 1_000;

/** The condition Ready of a policy that cannot be carried out. Pure. */
export function invalidCondition(problems: readonly string[]): Condition {
  return condition('False', 'Invalid', [...new Set(problems)].join('; '));
}

/** The condition Ready of a policy that is carried out: what keeps it from doing what its author may expect. Pure. */
export function readyCondition(
  { spec }: CompiledPolicy,
  workloads: readonly SeenWorkload[],
  untracked: number,
): Condition {
  if (untracked > 0) {
    const message = `${untracked} workloads are not watched: a policy knows ${MAX_TRACKED}; split it, or take the annotation from some`;
    return condition('False', 'TooManyWorkloads', message);
  }
  if (workloads.length === 0) {
    const also = spec.start === undefined ? ' and litmuschaos.io/experimentId' : '';
    return condition(
      'True',
      'NoWorkloads',
      `no workload has the annotations litmuschaos.io/gitops: "true"${also}`,
    );
  }
  const [problem] = workloads.flatMap(({ problems }) => problems);
  if (problem !== undefined) {
    return condition(
      'True',
      'KeyWithoutValue',
      `${problem}; where a key cannot be evaluated its condition does not pass`,
    );
  }
  const never = spec.conditions.flatMap(({ key }, index) =>
    workloads.every(({ values }) => values[index] === null)
      ? [`spec.conditions[${index}].key: ${JSON.stringify(key)}`]
      : [],
  );
  if (never.length > 0) {
    return condition('True', 'KeyWithoutValue', `${never.join(', ')}: no watched workload has a value there`);
  }
  return condition('True', 'Valid', 'changes of annotated workloads are judged');
}

function condition(status: Condition['status'], reason: string, message: string): Condition {
  return { type: CONDITION_READY, status, reason, message: message.slice(0, MAX_CHARACTERS) };
}
