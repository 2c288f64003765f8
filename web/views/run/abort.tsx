import { useMutation } from '@tanstack/react-query';
import { type ReactElement, useEffect, useState } from 'react';
import { ask, type Document } from '../../api/client.ts';
import { Dialog } from '../../parts/dialog/dialog.tsx';

/** Stops a run: the key `a`, one question that names what will be reverted, then it is asked of the agent. */
export function AbortButton<Variables extends object>({
  question,
  variables,
  inForce,
  onDone,
}: {
  readonly question: Document<unknown, Variables>;
  /** Which run. */
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
  useKey('a', () => setAsking(true));
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

/** Does something on a key, unless a field or a button has it. */
function useKey(key: string, act: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const { target } = event;
      const isTyping =
        target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
      if (event.key === key && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) act();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  });
}
