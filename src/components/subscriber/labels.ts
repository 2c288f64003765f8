/** Labels by which ChaosCenter's server, its agents and the objects of a run find each other. */
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { labelValueProblems } from '@turnsole/kube/text/names';
import { LABEL_INSTANCE_ID } from '@turnsole/workflows/kinds/labels';

const LABEL_INFRA_ID = 'infra_id';
/** Workflow, CronWorkflow, standalone engine: id of the experiment. */
export const LABEL_WORKFLOW_ID = 'workflow_id';
/** Whatever a user made: base64url of the user's name. */
const LABEL_UPDATED_BY = 'updated_by';
/** For names of users that no label can hold. Ours. */
const ANNOTATION_UPDATED_BY = 'turnsole.io/updated-by';

/**
 * The mark by which a server learns who made an object: base64url of the user's name, as a label where a label can hold it, else as an
 * annotation. Pure.
 */
export function updatedByMark(username: string): Pick<KubeObject['metadata'], 'labels' | 'annotations'> {
  const text = Buffer.from(username).toString('base64url');
  const isLabel = labelValueProblems(text).length === 0;
  return isLabel
    ? { labels: { [LABEL_UPDATED_BY]: text } }
    : { annotations: { [ANNOTATION_UPDATED_BY]: text } };
}

/** The text of that mark; empty when it is missing. Pure. */
export function updatedByOf({ labels, annotations }: KubeObject['metadata']): string {
  return labels?.[LABEL_UPDATED_BY] ?? annotations?.[ANNOTATION_UPDATED_BY] ?? '';
}

/** Which Workflows, or standalone engines, are runs of an infrastructure. */
export function runSelector(infraID: string, kind: 'workflow' | 'engine'): string {
  const own = [`${LABEL_INFRA_ID}=${infraID}`];
  return [...own, kind === 'workflow' ? `${LABEL_INSTANCE_ID}=${infraID}` : 'type=standalone_workflow'].join(
    ',',
  );
}
