import { LABEL_INSTANCE_ID } from '../../../workflows/kinds/labels.ts';

/** What the objects of an experiment belong to. */
export interface ExperimentIds {
  readonly experimentID: string;
  readonly infraID: string;
  readonly revisionID: string;
}

type Labels = Readonly<Record<string, string>>;

/** Labels of Workflows and CronWorkflows, and of the Workflows that these make: agents and controllers find them by them. */
export function workflowLabels(ids: ExperimentIds): Labels {
  return { ...commonLabels(ids), [LABEL_INSTANCE_ID]: ids.infraID };
}

/** Labels of a ChaosEngine or ChaosSchedule that is an experiment of its own. */
export function standaloneLabels(ids: ExperimentIds): Labels {
  return { ...commonLabels(ids), type: 'standalone_workflow' };
}

function commonLabels({ experimentID, infraID, revisionID }: ExperimentIds): Labels {
  return { workflow_id: experimentID, infra_id: infraID, revision_id: revisionID };
}

/** Labels of an engine in a step: of which run it is, and which pod made it. Tags that the workflow's controller replaces. */
export function stepLabels(infraID: string): Labels {
  return {
    infra_id: infraID,
    step_pod_name: '{{pod.name}}',
    workflow_run_id: '{{workflow.uid}}',
  };
}
