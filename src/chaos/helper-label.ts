/** Longest value that a label may have. */
const MAX_LABEL_LENGTH = 63;

/**
 * Value of the label `app` of the helpers of one run of an experiment, by which the component that has to end them finds them: as much of
 * `<experiment>-helper-<run id>` as a label may hold. Ids of runs may be uids, with which long names of experiments do not fit. Pure.
 */
export function helperLabel(experiment: string, runId: string): string {
  return `${experiment}-helper-${runId}`.slice(0, MAX_LABEL_LENGTH).replace(/[^A-Za-z0-9]+$/, '');
}
