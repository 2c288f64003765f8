import { wrongTypes } from '../kinds/manifest/wrong-types.ts';
import type { WorkflowProblem } from './problem.ts';

/** Fields of a spec that have another form than their type, so that nothing else of it can be judged. Pure. */
export function malformedFields(kind: 'Workflow' | 'CronWorkflow', spec: unknown): WorkflowProblem[] {
  return wrongTypes({ kind, spec }).map(({ path, expected, found }) => ({
    path,
    text: `${path}: expected ${expected}, found ${found}`,
  }));
}
