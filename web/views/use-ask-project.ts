import type { Document } from '../api/client.ts';
import type { Connection } from '../models/live/connection.ts';
import type { ViewState } from '../models/view-state/view-state.ts';
import { useAsk } from './use-ask.ts';
import { useProjectChanges } from './use-project-changes.ts';

/** Kinds of objects that lists of experiments or runs show. */
export const RUNS_AND_EXPERIMENTS = ['run', 'experiment'] as const;

/**
 * `useAsk` about a project: asks again when an object of one of these kinds has changed in it, and says how the page is connected.
 *
 * @param kinds as the subscription names them; a constant
 * @param isEmpty whether an answer has nothing to show. @default never
 */
export function useAskProject<Answer, Variables extends { readonly projectID: string }>(
  document: Document<Answer, Variables>,
  variables: Variables,
  kinds: readonly string[],
  isEmpty?: (answer: Answer) => boolean,
): ViewState<Answer> & { retry(): void; readonly connection: Connection } {
  const view = useAsk(document, variables, isEmpty);
  const connection = useProjectChanges({ document, variables }, variables.projectID, kinds);
  return { ...view, connection };
}
