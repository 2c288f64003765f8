/** What a label's value, and so the name of a Workflow, may be long. */
const MOST_CHARACTERS = 63;

/**
 * The name of a run's object: the experiment's and the time, so that each run has its own. The experiment's is cut where both are too
 * long for the label by which a Workflow's pods name it. Pure.
 */
export function runName(name: string, now: number): string {
  const suffix = `-${now}`;
  return `${name.slice(0, MOST_CHARACTERS - suffix.length).replace(/[^a-z0-9]+$/i, '')}${suffix}`;
}
