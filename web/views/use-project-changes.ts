import type { Connection } from '../models/live/connection.ts';
import { PROJECT_CHANGES, type ProjectChangesSubscription } from './generated/changes.ts';
import { type FollowedQuery, useFollow } from './use-follow.ts';

/** Runs a query again when an object of one of these kinds has changed in a project. */
export function useProjectChanges<Answer, Variables extends object>(
  query: FollowedQuery<Answer, Variables>,
  projectID: string,
  kinds: readonly string[],
): Connection {
  // The first event after a disconnection names no change: any may have happened.
  const take = ({ watchProject: { changes } }: ProjectChangesSubscription) =>
    changes.length === 0 || changes.some(({ kind }) => kinds.includes(kind)) ? 'ask-again' : 'nothing';
  return useFollow(query, { document: PROJECT_CHANGES, variables: { projectID } }, take);
}
