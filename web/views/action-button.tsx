import { useMutation } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useState } from 'react';
import { plainText } from '../models/words/plain.ts';
import { Button } from '../parts/button/button.tsx';
import { Dialog } from '../parts/dialog/dialog.tsx';
import './form.css';

/** A button that acts at once, or after a question if the action cannot be undone. */
export function ActionButton<Done = unknown>({
  label,
  name: given,
  question,
  about,
  look = 'act',
  run,
  onDone,
}: {
  /** What it does, as a verb. */
  readonly label: string;
  /** The same with its object, for screen readers. */
  readonly name: string;
  /** What the reader would lose by it. Without a text there is no question. */
  readonly question?: string;
  /** Content that the reader should see before answering. */
  readonly about?: ReactNode;
  readonly look?: 'act' | 'button';
  run(): Promise<Done>;
  onDone(done: Done): void;
}): ReactElement {
  const [isAsking, setAsking] = useState(false);
  const name = plainText(given);
  const action = useMutation({
    mutationFn: run,
    onSuccess: (done) => {
      setAsking(false);
      onDone(done);
    },
  });
  const begin = (): void => (question === undefined ? action.mutate() : setAsking(true));
  const refused =
    action.error === null ? null : (
      <span className="refused" role="alert">
        Failed: {action.error.message}
      </span>
    );
  return (
    <>
      <Button look={look} label={label} name={name} isOff={action.isPending} onClick={begin} />{' '}
      {isAsking ? (
        <Dialog
          title={`${name}?`}
          confirm={label}
          isBusy={action.isPending}
          onConfirm={() => action.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>{question}</p>
          {about}
          {refused}
        </Dialog>
      ) : (
        refused
      )}
    </>
  );
}
