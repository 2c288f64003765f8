import type { NodePhase } from '../kinds/status.ts';
import type { Template, WorkflowStep } from '../kinds/template.ts';
import type { TemplateScope } from './template-scope.ts';

/** What a composite node works with. It follows from the node and the spec. */
export interface Frame {
  /** With inputs and all tags but those of its own steps replaced. */
  readonly template: Template;
  /** Where its steps' templates are looked up. */
  readonly scope: TemplateScope;
  readonly members: ReadonlyMap<string, Member>;
  /** For a dag: names of the tasks that wait for a task. */
  readonly dependants: ReadonlyMap<string, readonly string[]>;
  /** For a dag: what each task waits for. */
  readonly inputs: ReadonlyMap<string, readonly string[]>;
}

/** A step or task as its template has it. */
export interface Member {
  readonly step: WorkflowStep;
  /** For a step: the index of its group. */
  readonly group?: number;
}

/** Whether others go on although a step or task failed. */
export function continuesOn(step: WorkflowStep | undefined, phase: NodePhase | undefined): boolean {
  const { failed = false, error = false } = step?.continueOn ?? {};
  return phase === 'Failed' ? failed : error;
}

/** A step or task that gets a node: one of a loop, or the step itself. */
export interface Element {
  readonly name: string;
  /** Its tags are replaced. */
  readonly step: WorkflowStep;
  /** Why it does not run. */
  readonly skipped?: string;
}
