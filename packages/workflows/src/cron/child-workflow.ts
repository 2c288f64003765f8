import { metaTime, parseTime } from '@turnsole/kube/text/time';
import type { CronWorkflow } from '../kinds/cron-workflow.ts';
import { ANNOTATION_SCHEDULED_TIME, LABEL_CRON_WORKFLOW, LABEL_INSTANCE_ID } from '../kinds/labels.ts';
import { ownerReference } from '../kinds/owner-reference.ts';
import type { Workflow } from '../kinds/workflow.ts';

/** Labels of the CronWorkflow that its workflows have as well. */
const HANDED_ON = [
  LABEL_INSTANCE_ID,
  'workflows.argoproj.io/creator',
  'workflows.argoproj.io/creator-email',
  'workflows.argoproj.io/creator-preferred-username',
];

/**
 * The Workflow of one scheduled time. Its name follows from that time, so that creating it twice creates it once. Pure.
 *
 * @param scheduledMs milliseconds since 1970
 */
export function childWorkflow(cron: CronWorkflow, scheduledMs: number): Workflow {
  const { name, namespace, labels = {} } = cron.metadata;
  const { workflowMetadata, workflowSpec } = cron.spec;
  const handedOn = HANDED_ON.filter((key) => labels[key] !== undefined);
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: {
      name: `${name}-${Math.floor(scheduledMs / 1000)}`,
      namespace,
      labels: {
        ...workflowMetadata?.labels,
        ...Object.fromEntries(handedOn.map((key) => [key, labels[key]])),
        [LABEL_CRON_WORKFLOW]: name ?? '',
      },
      annotations: {
        ...workflowMetadata?.annotations,
        [ANNOTATION_SCHEDULED_TIME]: metaTime(scheduledMs),
      },
      finalizers: workflowMetadata?.finalizers && [...workflowMetadata.finalizers],
      ownerReferences: [ownerReference('CronWorkflow', cron)],
    },
    spec: workflowSpec,
  };
}

/** When a workflow was due; undefined for one that no CronWorkflow made. Pure. */
export function scheduledTimeOf({ metadata }: Workflow): number | undefined {
  return parseTime(metadata.annotations?.[ANNOTATION_SCHEDULED_TIME]);
}
