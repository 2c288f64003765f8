import { useMutation } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useState } from 'react';
import { plainText } from '../models/words/plain.ts';
import { Dialog } from '../parts/dialog/dialog.tsx';
import './form.css';

/** A button that does something at once, or after a question when it cannot be undone. */
export function Act({
  label,
  name: given,
  question,
  about,
  look = 'link',
  run,
  onDone,
}: {
  /** What it does, as a verb. */
  readonly label: string;
  /** The same with what it is done to, for screen readers. */
  readonly name: string;
  /** What is lost by it. Without one nothing is asked. */
  readonly question?: string;
  /** What has to be seen before the question is answered. */
  readonly about?: ReactNode;
  readonly look?: 'link' | 'button';
  run(): Promise<unknown>;
  onDone(): void;
}): ReactElement {
  const [isAsking, setAsking] = useState(false);
  const name = plainText(given);
  const action = useMutation({
    mutationFn: run,
    onSuccess: () => {
      setAsking(false);
      onDone();
    },
  });
  const begin = (): void => (question === undefined ? action.mutate() : setAsking(true));
  const refused =
    action.error === null ? null : (
      <span className="refused" role="alert">
        This was refused: {action.error.message}
      </span>
    );
  return (
    <>
      <button
        type="button"
        className={look === 'link' ? 'link act' : 'button'}
        aria-label={name}
        disabled={action.isPending}
        onClick={begin}
      >
        {label}
      </button>{' '}
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
