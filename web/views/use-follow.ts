import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Document } from '../api/client.ts';
import { watch } from '../api/live.ts';
import type { Connection } from '../models/live/connection.ts';

/** What becomes of an answer when a subscription tells something: the new answer, or that it is to be asked for again. */
type Followed<Answer> = { readonly answer: Answer } | 'ask-again' | 'nothing';

/** What was asked: by `useAsk`, or by `useRest`, whose answers can only be asked for again. */
type Question<Answer, Variables extends object> =
  | { readonly document: Document<Answer, Variables>; readonly variables: Variables }
  | { readonly path: string };

/**
 * Keeps what `useAsk` or `useRest` has of a question in step with a subscription, as long as the view is there. After a break the server tells anew,
 * so that what was missed is made up for. Why something is refused is shown by the question, which is then asked again.
 *
 * @param take decides what to do with an event; a constant function
 */
export function useFollow<Answer, Variables extends object, Data, Watched extends object>(
  question: Question<Answer, Variables>,
  changes: { readonly document: Document<Data, Watched>; readonly variables: Watched },
  take: (data: Data) => Followed<Answer>,
): Connection {
  const queries = useQueryClient();
  const [connection, setConnection] = useState<Connection>({ state: 'connecting' });
  const key = JSON.stringify([keyOf(question), changes.variables]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: documents and `take` are constants; the key stands for the variables
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
  }, [changes.document, key]);
  return connection;
}

function keyOf<Answer, Variables extends object>(question: Question<Answer, Variables>): readonly unknown[] {
  return 'path' in question ? ['rest', question.path] : [question.document.text, question.variables];
}

/** Calls that come while one is at work become one further call after it: however fast changes come, answers do too. */
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
