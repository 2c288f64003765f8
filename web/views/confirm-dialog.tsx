import { useMutation } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { Dialog } from '../parts/dialog/dialog.tsx';

/** A question before an action that cannot be undone: runs the action, and shows why it was refused. */
export function ConfirmDialog({
  title,
  confirm,
  busy = confirm,
  refused = 'Failed',
  run,
  onDone,
  onClose,
  children,
}: {
  readonly title: string;
  /** What the button will do. */
  readonly confirm: string;
  /** What it says while the action runs. @default the same */
  readonly busy?: string;
  /** Begins the sentence about a refusal. */
  readonly refused?: string;
  run(): Promise<unknown>;
  /** Called after the action, when the question is closed. */
  onDone(): void;
  onClose(): void;
  /** What the reader should know before answering. */
  readonly children: ReactNode;
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
      confirm={action.isPending ? busy : confirm}
      isBusy={action.isPending}
      onConfirm={() => action.mutate()}
      onClose={onClose}
    >
      {children}
      {action.error === null ? null : (
        <p role="alert">
          {refused}: {action.error.message}
        </p>
      )}
    </Dialog>
  );
}
