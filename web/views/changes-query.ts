import type { ProjectChanges } from '../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../api/client.ts';

interface Told {
  readonly watchProject: ProjectChanges;
}

/** What changes in a project. */
export const PROJECT_CHANGES: Document<Told, { projectID: string }> = {
  text: `subscription ProjectChanges($projectID: ID!) {
    watchProject(projectID: $projectID) { cursor changes { kind id } }
  }`,
};

/** Decides whether what is shown may be another now: when one of these kinds has changed. The first event after a break names none, and many may be missed. */
export function changesOf(...kinds: readonly string[]): (told: Told) => 'ask-again' | 'nothing' {
  return ({ watchProject: { changes } }) =>
    changes.length === 0 || changes.some(({ kind }) => kinds.includes(kind)) ? 'ask-again' : 'nothing';
}

/** Of a list of experiments or runs. */
export const changesRuns = changesOf('run', 'experiment');
