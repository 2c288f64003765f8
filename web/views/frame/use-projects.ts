import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { callRest } from '../../api/client.ts';
import type { ApiProblem } from '../../api/problem.ts';

/** A project in the switcher. */
interface ListedProject {
  readonly projectID: string;
  readonly name: string;
}

/** Maximum number of projects in the switcher. */
const MOST = 50;

/** The reader's projects, by name. */
export function useProjects(): UseQueryResult<readonly ListedProject[], ApiProblem> {
  return useQuery({
    queryKey: ['projects'],
    queryFn: async ({ signal }) => {
      const path = `/list_projects?limit=${MOST}&sortField=name&sortAscending=true`;
      const answer = (await callRest(path, undefined, signal)) as {
        readonly data?: { readonly projects: readonly ListedProject[] };
      };
      return answer.data?.projects ?? [];
    },
  });
}
