import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../button/button.tsx';

/** A question that has to be answered before anything else: focus stays in it, Escape says no. */
export function Dialog({
  title,
  children,
  confirm,
  isBusy = false,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  readonly children: ReactNode;
  /** What the button will do. */
  readonly confirm: string;
  readonly isBusy?: boolean;
  onConfirm(): void;
  onClose(): void;
}): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  /** Reports the close at once: the browser does so a frame later, when the reader may have opened the same dialog again. */
  const close = (): void => {
    dialog.current?.close();
    onClose();
  };
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="dialog-title" onCancel={close} onClose={onClose}>
      <h2 id="dialog-title">{title}</h2>
      {children}
      <div className="dialog-buttons">
        <Button label="Cancel" onClick={close} />
        <Button label={confirm} isChaos isOff={isBusy} onClick={onConfirm} />
      </div>
    </dialog>
  );
}
