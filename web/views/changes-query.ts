import type { ProjectChanges } from '../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../api/client.ts';

interface ProjectChange {
  readonly watchProject: ProjectChanges;
}

/** Changes in a project. */
export const PROJECT_CHANGES: Document<ProjectChange, { projectID: string }> = {
  text: `subscription ProjectChanges($projectID: ID!) {
    watchProject(projectID: $projectID) { cursor changes { kind id } }
  }`,
};

/** Whether the view may be out of date, because one of these kinds has changed. The first event after a disconnection names none: any may have changed. */
export function changesOf(...kinds: readonly string[]): (change: ProjectChange) => 'ask-again' | 'nothing' {
  return ({ watchProject: { changes } }) =>
    changes.length === 0 || changes.some(({ kind }) => kinds.includes(kind)) ? 'ask-again' : 'nothing';
}

/** For lists of experiments or runs. */
export const changesRuns = changesOf('run', 'experiment');
