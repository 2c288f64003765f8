import { CONDITION_READY, type Condition } from '../../../api/index.ts';
import { MAX_TRACKED } from './decide-triggers.ts';

/** What is wrong with a policy. */
interface PolicyTrouble {
  /** Why it cannot be carried out at all. */
  readonly problems?: readonly string[];
  /** Keys that could not be evaluated on workloads. */
  readonly keyProblems?: readonly string[];
  /** Workloads for which there is no room. */
  readonly untracked?: number;
}

/** Messages are for people. */
const MAX_CHARACTERS = 1_000;

/** The policy's condition Ready. Pure. */
export function readyCondition({ problems = [], keyProblems = [], untracked = 0 }: PolicyTrouble): Condition {
  if (problems.length > 0) return condition('False', 'Invalid', [...new Set(problems)].join('; '));
  if (untracked > 0) {
    const message = `${untracked} workloads are not watched: a policy knows ${MAX_TRACKED}; split it, or take the annotation from some`;
    return condition('False', 'TooManyWorkloads', message);
  }
  const [first] = keyProblems;
  if (first !== undefined) {
    return condition('True', 'KeyWithoutValue', `${first}; where a key cannot be evaluated it has no value`);
  }
  return condition('True', 'Valid', 'changes of annotated workloads are judged');
}

function condition(status: Condition['status'], reason: string, message: string): Condition {
  return { type: CONDITION_READY, status, reason, message: message.slice(0, MAX_CHARACTERS) };
}
