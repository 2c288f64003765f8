import { COMPONENT_MONITOR, LABEL_CHAOS_UID, LABEL_COMPONENT } from './labels.ts';

/** Bytes of the log of each pod of a run that are kept when the pod is gone: its last whole lines. */
export const KEPT_LOG_BYTES = 64 * 1024;
/** Logs of a run that are kept: 4 MiB in all. */
export const MOST_KEPT_LOGS = 64;

/** Selects the pods of engines' runs (runners, experiments, helpers), without those that only show metrics. */
export const PODS_OF_ENGINES = `${LABEL_CHAOS_UID},${LABEL_COMPONENT}!=${COMPONENT_MONITOR}`;
