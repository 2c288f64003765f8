import type { Outputs } from '../../../workflows/kinds/parameters.ts';
import type { NodePhase } from '../../../workflows/kinds/status.ts';
import type { Template } from '../../../workflows/kinds/template.ts';
import type { Workflow, WorkflowSpec } from '../../../workflows/kinds/workflow.ts';

/** An `http` or `plugin` node that is to be worked on; its tags are replaced. */
export interface Task {
  readonly workflow: Workflow;
  readonly spec: WorkflowSpec;
  readonly template: Template;
}

/** What came of a task. */
export interface TaskAnswer {
  readonly phase: NodePhase;
  readonly message?: string;
  readonly outputs?: Outputs;
  readonly progress?: string;
}
