import { type Json, objectAt } from '@turnsole/kube/text/json';
import { LABEL_INSTANCE_ID } from '@turnsole/workflows/kinds/labels';

/** IDs in the labels of an experiment's objects. */
export interface ExperimentIds {
  readonly experimentID: string;
  readonly infraID: string;
  readonly revisionID: string;
}

type Labels = Readonly<Record<string, string>>;

/** Labels of Workflows, CronWorkflows and the Workflows of these, by which agents and controllers find them. */
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

/** Labels of an engine in a step: its run and its creating pod, as tags that the workflow's controller replaces. */
export function stepLabels(infraID: string): Labels {
  return {
    infra_id: infraID,
    step_pod_name: '{{pod.name}}',
    workflow_run_id: '{{workflow.uid}}',
  };
}

/** A copy with these additional labels. */
export function withLabels(object: Json, labels: Readonly<Record<string, string>>, key = 'metadata'): Json {
  const metadata = objectAt(object, key);
  return { ...object, [key]: { ...metadata, labels: { ...objectAt(metadata, 'labels'), ...labels } } };
}
