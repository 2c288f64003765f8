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

/** Whether a list of experiments or runs may be another one now. The first event after a break names no change, and many may be missed. */
export function changesRuns({ watchProject: { changes } }: Told): 'ask-again' | 'nothing' {
  const isTold = changes.length === 0 || changes.some(({ kind }) => kind === 'run' || kind === 'experiment');
  return isTold ? 'ask-again' : 'nothing';
}
