import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';

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
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="dialog-title" onClose={onClose}>
      <h2 id="dialog-title">{title}</h2>
      {children}
      <div className="dialog-buttons">
        <button type="button" className="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button type="button" className="button" data-kind="chaos" disabled={isBusy} onClick={onConfirm}>
          {confirm}
        </button>
      </div>
    </dialog>
  );
}
