import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Document } from '../api/client.ts';
import { watch } from '../api/live.ts';
import type { Connection } from '../models/live/connection.ts';

/** Effect of an event on an answer: a new answer, or a new request. */
type Followed<Answer> = { readonly answer: Answer } | 'ask-again' | 'nothing';

/** A query of `useAsk`, or of `useRest`, whose answers can only be requested again. */
export type FollowedQuery<Answer, Variables extends object> =
  | { readonly document: Document<Answer, Variables>; readonly variables: Variables }
  | { readonly path: string };

/**
 * Keeps the answer of `useAsk` or `useRest` in sync with a subscription, as long as the view is mounted. After a disconnection the server sends
 * everything again, so that nothing is missed. On a refusal the query runs again and shows the reason.
 *
 * @param take decides the effect of an event, always in the same way
 */
export function useFollow<Answer, Variables extends object, Data, Watched extends object>(
  query: FollowedQuery<Answer, Variables>,
  changes: { readonly document: Document<Data, Watched>; readonly variables: Watched },
  take: (data: Data) => Followed<Answer>,
): Connection {
  const queries = useQueryClient();
  const [connection, setConnection] = useState<Connection>({ state: 'connecting' });
  const key = JSON.stringify([keyOf(query), changes.variables]);
  useEffect(() => {
    const [queryKey, watched] = JSON.parse(key) as [readonly unknown[], Watched];
    const askAgain = oneAtATime(() => queries.invalidateQueries({ queryKey }));
    return watch(changes.document, watched, {
      onData: (data) => {
        const followed = take(data);
        if (followed === 'ask-again') askAgain();
        else if (followed !== 'nothing') queries.setQueryData(queryKey, followed.answer);
      },
      onConnection: setConnection,
      onProblem: askAgain,
    });
    // oxlint-disable-next-line exhaustive-deps -- documents and `take` are constants; the key stands for the variables
  }, [changes.document, key]);
  return connection;
}

function keyOf<Answer, Variables extends object>(
  query: FollowedQuery<Answer, Variables>,
): readonly unknown[] {
  return 'path' in query ? ['rest', query.path] : [query.document.text, query.variables];
}

/** Merges calls during a running call into one further call after it, so that fast changes do not delay answers. */
function oneAtATime(act: () => Promise<void>): () => void {
  let [isAtWork, isWanted] = [false, false];
  const call = async (): Promise<void> => {
    isWanted = true;
    if (isAtWork) return;
    isAtWork = true;
    while (isWanted) {
      isWanted = false;
      await act();
    }
    isAtWork = false;
  };
  return () => void call();
}
