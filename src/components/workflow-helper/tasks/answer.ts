import type { Outputs } from '@turnsole/workflows/kinds/parameters';
import type { NodePhase } from '@turnsole/workflows/kinds/status';
import type { Template } from '@turnsole/workflows/kinds/template';
import type { Workflow, WorkflowSpec } from '@turnsole/workflows/kinds/workflow';

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
