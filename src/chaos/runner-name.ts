/** Name of the runner's container, which dashboards and scripts look for. */
export const RUNNER_CONTAINER = 'chaos-runner';

/** Name of the runner pod of an engine. Pure. */
export function runnerPodName(engine: string): string {
  return `${engine}-runner`;
}
