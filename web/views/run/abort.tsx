import { useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { ask, type Document } from '../../api/client.ts';
import { Dialog } from '../../parts/dialog/dialog.tsx';
import { useKey } from '../keys/use-key.ts';

/** Stops a run: the key `a`, one question that names what will be reverted, then the request to the agent. */
export function AbortButton<Variables extends object>({
  question,
  variables,
  inForce,
  onDone,
}: {
  readonly question: Document<unknown, Variables>;
  /** Identifies the run. */
  readonly variables: Variables;
  readonly inForce: readonly string[];
  onDone(): void;
}): ReactElement {
  const [isAsking, setAsking] = useState(false);
  const stop = useMutation({
    mutationFn: () => ask(question, variables),
    onSuccess: () => {
      setAsking(false);
      onDone();
    },
  });
  useKey('a', 'abort the run and revert', () => setAsking(true));
  return (
    <>
      <button type="button" className="button" data-kind="chaos" onClick={() => setAsking(true)}>
        Abort and revert<kbd>a</kbd>
      </button>
      {isAsking ? (
        <Dialog
          title="Abort this run?"
          confirm={stop.isPending ? 'Asking the agent…' : 'Abort and revert'}
          isBusy={stop.isPending}
          onConfirm={() => stop.mutate()}
          onClose={() => setAsking(false)}
        >
          {inForce.length === 0 ? (
            <p>Nothing is known to be in force. Steps that are running end, and no further step begins.</p>
          ) : (
            <>
              <p>These are hit now and will be reverted:</p>
              <ul>
                {inForce.map((name) => (
                  <li key={name}>
                    <bdi>{name}</bdi>
                  </li>
                ))}
              </ul>
            </>
          )}
          {stop.error === null ? null : <p role="alert">It was not stopped: {stop.error.message}</p>}
        </Dialog>
      ) : null}
    </>
  );
}
