import { useEffect, useState } from 'react';
import type { Document } from '../api/client.ts';
import { watch } from '../api/live.ts';
import type { ApiProblem } from '../api/problem.ts';
import type { Connection } from '../models/live/connection.ts';
import { type ViewState, viewState } from '../models/view-state/view-state.ts';

/** The events of a subscription so far. */
interface Watched<Kept> {
  readonly connection: Connection;
  readonly view: ViewState<Kept> & { retry(): void };
}

/**
 * Subscribes while the view is mounted.
 *
 * @param fold merges an event into the state, and must tolerate duplicates
 * @param isEmpty whether the state has nothing to show. @default never
 */
export function useWatch<Data, Variables extends object, Kept>(
  document: Document<Data, Variables>,
  variables: Variables,
  fold: (kept: Kept | undefined, data: Data) => Kept,
  isEmpty?: (kept: Kept) => boolean,
): Watched<Kept> {
  const [kept, setKept] = useState<Kept>();
  const [connection, setConnection] = useState<Connection>({ state: 'connecting' });
  const [problem, setProblem] = useState<ApiProblem>();
  const [tries, setTries] = useState(0);
  const key = JSON.stringify(variables);
  useEffect(() => {
    setProblem(undefined);
    return watch(document, JSON.parse(key) as Variables, {
      onData: (data) => {
        setProblem(undefined);
        setKept((before) => fold(before, data));
      },
      onConnection: setConnection,
      onProblem: setProblem,
    });
    // oxlint-disable-next-line exhaustive-deps -- documents and folds are constants; `tries` subscribes anew
  }, [document, key, tries]);
  const isAway = connection.state === 'away' && kept === undefined;
  const error = problem ?? (isAway ? { code: 'away', message: 'the server cannot be reached' } : undefined);
  // Data stays while the connection is lost; the dot by the title shows that.
  const state = viewState({ data: kept, error, dataAtMs: Date.now() }, isEmpty);
  return { connection, view: { ...state, retry: () => setTries((count) => count + 1) } };
}
