/**
 * Names of Events by which upstream's users, dashboards and scripts find them.
 *
 * They contain upper-case letters, as the Event kind is not checked against DNS rules.
 */
export const eventNames = {
  /** On a ChaosEngine, by the experiment: one per reason, counted up. */
  ofExperiment: (reason: string, experiment: string, chaosUid: string): string =>
    `${reason}${experiment}${chaosUid}`,
  /** On a ChaosResult, by the experiment: one per reason and experiment pod. */
  ofResult: (reason: string, podName: string): string => `${reason}${podName}`,
  /** On a ChaosEngine, by the runner: one per reason and experiment, counted up. */
  ofRunner: (reason: string, experiment: string, engineUid: string): string =>
    `${reason}${experiment}${engineUid}`,
} as const;
