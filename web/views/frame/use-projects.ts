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

/** Whether the server watches a cluster itself, as that of `turnsole ui`: its document says so. */
export const WATCHES_CLUSTER = document.documentElement.dataset.cluster !== undefined;

/** The project of an address; where a watched cluster is shown, which has none in its address, the reader's first one. */
export function useShownProject(ofAddress: string | undefined): string | undefined {
  const projects = useProjects(ofAddress === undefined && WATCHES_CLUSTER).data ?? [];
  return ofAddress ?? projects[0]?.projectID;
}

/** The reader's projects, by name. */
export function useProjects(enabled = true): UseQueryResult<readonly ListedProject[], ApiProblem> {
  return useQuery({
    enabled,
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
