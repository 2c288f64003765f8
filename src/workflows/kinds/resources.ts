/** The resources of Argo's kinds, which stand with all others. */
export {
  CLUSTER_WORKFLOW_TEMPLATES,
  CRON_WORKFLOWS,
  WORKFLOW_TASK_RESULTS,
  WORKFLOW_TEMPLATES,
  WORKFLOWS,
} from '../../api/resources.ts';
