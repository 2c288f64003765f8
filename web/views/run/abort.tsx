import { type ReactElement, useState } from 'react';
import { ask, type Document } from '../../api/client.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
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
  useKey('a', 'abort the run and revert', () => setAsking(true));
  return (
    <>
      <button type="button" className="button" data-kind="chaos" onClick={() => setAsking(true)}>
        Abort and revert<kbd>a</kbd>
      </button>
      {isAsking ? (
        <ConfirmDialog
          title="Abort this run?"
          confirm="Abort and revert"
          busy="Asking the agent…"
          refused="It was not stopped"
          run={() => ask(question, variables)}
          onDone={onDone}
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
        </ConfirmDialog>
      ) : null}
    </>
  );
}
