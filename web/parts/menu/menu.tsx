import { type ReactElement, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import './menu.css';

/** A button that opens a small sheet beside it; Escape and a click elsewhere close it, and the focus returns. */
export function Menu({
  label,
  name,
  children,
}: {
  /** Label of the button. */
  readonly label: ReactNode;
  /** The button's name for screen readers, if the label is not enough. */
  readonly name?: string;
  /** Gets the function that closes the sheet. */
  children(close: () => void): ReactNode;
}): ReactElement {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    if (isOpen && button.current !== null && sheet.current !== null)
      place(sheet.current, button.current.getBoundingClientRect());
  }, [isOpen]);
  return (
    <>
      <button ref={button} type="button" className="menu-button" popoverTarget={id} aria-label={name}>
        {label}
      </button>
      <div
        ref={sheet}
        id={id}
        popover="auto"
        className="menu"
        onToggle={({ newState }) => setOpen(newState === 'open')}
      >
        {isOpen ? children(() => sheet.current?.hidePopover()) : null}
      </div>
    </>
  );
}

/** Under the button, its right side under the button's, unless that leaves the window. */
function place(sheet: HTMLElement, { bottom, right }: DOMRect): void {
  sheet.style.top = `${bottom + scrollY}px`;
  sheet.style.right = `${Math.max(0, document.documentElement.clientWidth - Math.max(right, sheet.clientWidth))}px`;
}
