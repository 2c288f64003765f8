import type { ProjectChanges } from '../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../api/client.ts';

/** An event about a project. */
export interface ProjectChange {
  readonly watchProject: ProjectChanges;
}

/** Changes in a project. */
export const PROJECT_CHANGES: Document<ProjectChange, { projectID: string }> = {
  text: `subscription ProjectChanges($projectID: ID!) {
    watchProject(projectID: $projectID) { cursor changes { kind id } }
  }`,
};
