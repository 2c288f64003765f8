import { useEffect, useRef } from 'react';

/** A key of the view that is shown, and what it does. */
interface ViewKey {
  readonly key: string;
  /** As the list of keys has it. */
  readonly does: string;
}

const known = new Set<ViewKey>();

/** The keys of what is shown now. */
export function keysShown(): readonly ViewKey[] {
  return [...known];
}

/** Does something on a key while the view is there, unless a field has the focus or a dialog is open; `?` lists it. */
export function useKey(key: string, does: string, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const one: ViewKey = { key, does };
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== key || !isFree(event)) return;
      event.preventDefault();
      latest.current();
    };
    known.add(one);
    document.addEventListener('keydown', listen);
    return () => {
      known.delete(one);
      document.removeEventListener('keydown', listen);
    };
  }, [key, does]);
}

/** Whether a key is for the page: nobody types, nothing has taken it, and no dialog is in the way. */
function isFree({ target, defaultPrevented, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (defaultPrevented || ctrlKey || metaKey || altKey) return false;
  const isTyping =
    target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
  return !isTyping && document.querySelector('dialog[open]') === null;
}
