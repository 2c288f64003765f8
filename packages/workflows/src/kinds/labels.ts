/** Labels and annotations that Argo's own controller, command and server write and read, unchanged. */
const PREFIX = 'workflows.argoproj.io/';

/** Workflow: `false` from its first phase, `true` at its end. Pod: `true` once its node is recorded. */
export const LABEL_COMPLETED = `${PREFIX}completed`;
export const LABEL_PHASE = `${PREFIX}phase`;
/** Pod, task result: name of the Workflow. */
export const LABEL_WORKFLOW = `${PREFIX}workflow`;
/** Pod of an exit handler. */
export const LABEL_ON_EXIT = `${PREFIX}on-exit`;
/** The purpose of a pod that belongs to no node. */
export const LABEL_COMPONENT = `${PREFIX}component`;
export const LABEL_INSTANCE_ID = `${PREFIX}controller-instanceid`;
export const LABEL_CRON_WORKFLOW = `${PREFIX}cron-workflow`;
export const LABEL_WORKFLOW_TEMPLATE = `${PREFIX}workflow-template`;
export const LABEL_CLUSTER_WORKFLOW_TEMPLATE = `${PREFIX}cluster-workflow-template`;
/** Task result: `true` once the pod has reported everything. */
export const LABEL_REPORT_COMPLETED = `${PREFIX}report-outputs-completed`;

/** Workflow: `v1` or `v2`; commands and screens find a node's pod by it. */
export const ANNOTATION_POD_NAME_FORMAT = `${PREFIX}pod-name-format`;
export const ANNOTATION_NODE_ID = `${PREFIX}node-id`;
export const ANNOTATION_NODE_NAME = `${PREFIX}node-name`;
/** Workflow of a CronWorkflow: the time it was due. */
export const ANNOTATION_SCHEDULED_TIME = `${PREFIX}scheduled-time`;
/** Template: the name that screens show for its nodes. */
export const ANNOTATION_DISPLAY_NAME = `${PREFIX}display-name`;
