import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Dialog } from '../../parts/dialog/dialog.tsx';

/** The question before an action of the palette. */
export interface Asked {
  readonly title: string;
  readonly text: string;
  /** What the button will do. */
  readonly confirm: string;
  run(): Promise<unknown>;
  onDone(): void;
}

/** Asks, runs the action, and shows why it was refused. */
export function Question({
  asked: { title, text, confirm, run, onDone },
  onClose,
}: {
  readonly asked: Asked;
  onClose(): void;
}): ReactElement {
  const action = useMutation({
    mutationFn: run,
    onSuccess: () => {
      onClose();
      onDone();
    },
  });
  return (
    <Dialog
      title={title}
      confirm={confirm}
      isBusy={action.isPending}
      onConfirm={() => action.mutate()}
      onClose={onClose}
    >
      <p>{text}</p>
      {action.error === null ? null : <p role="alert">This was refused: {action.error.message}</p>}
    </Dialog>
  );
}
