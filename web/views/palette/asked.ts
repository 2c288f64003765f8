import type { ConfirmDialog } from '../confirm-dialog.tsx';

/** The question before an action of the palette. */
export interface Asked
  extends Pick<Parameters<typeof ConfirmDialog>[0], 'title' | 'confirm' | 'run' | 'onDone'> {
  readonly text: string;
}
