import { useQuery } from '@tanstack/react-query';
import { callRest } from '../api/client.ts';
import type { ApiProblem } from '../api/problem.ts';
import { type ViewState, viewState } from '../models/view-state/view-state.ts';

/**
 * Reads from the REST API and returns the state of the view, and the time of reading. The caller knows the type of the answer.
 *
 * @param isEmpty whether an answer has nothing to show. @default never
 */
export function useRest<Data>(
  path: string,
  isEmpty?: (data: Data) => boolean,
): ViewState<Data> & { retry(): void; readonly readAtMs: number } {
  const query = useQuery<Data, ApiProblem>({
    queryKey: ['rest', path],
    queryFn: async ({ signal }) => (await callRest(path, undefined, signal)) as Data,
  });
  const state = viewState(
    { data: query.data, error: query.error ?? undefined, dataAtMs: query.dataUpdatedAt },
    isEmpty,
  );
  return { ...state, retry: () => void query.refetch(), readAtMs: query.dataUpdatedAt };
}
