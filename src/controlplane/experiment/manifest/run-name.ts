/** Longest value of a label, and so longest name of a Workflow. */
const MOST_CHARACTERS = 63;

/**
 * The name of a run's object: the experiment's name and the time, so that each run has its own. The experiment's name is cut if both are too
 * long for the label with which a Workflow's pods name it. Pure.
 */
export function runName(name: string, now: number): string {
  const suffix = `-${now}`;
  return `${name.slice(0, MOST_CHARACTERS - suffix.length).replace(/[^a-z0-9]+$/i, '')}${suffix}`;
}
