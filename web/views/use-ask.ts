import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { ask, type Document } from '../api/client.ts';
import type { ApiProblem } from '../api/problem.ts';
import { type ViewState, viewState } from '../models/view-state/view-state.ts';

/**
 * Runs a GraphQL query and returns the state of the view. Views share queries with the same document and variables.
 *
 * @param isEmpty whether an answer has nothing to show. @default never
 */
export function useAsk<Data, Variables extends object>(
  document: Document<Data, Variables>,
  variables: Variables,
  isEmpty?: (data: Data) => boolean,
): ViewState<Data> & { retry(): void } {
  const query: UseQueryResult<Data, ApiProblem> = useQuery({
    queryKey: [document.text, variables],
    queryFn: ({ signal }) => ask(document, variables, signal),
  });
  const state = viewState(
    { data: query.data, error: query.error ?? undefined, dataAtMs: query.dataUpdatedAt },
    isEmpty,
  );
  return { ...state, retry: () => void query.refetch() };
}
