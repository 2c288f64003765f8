import { useEffect, useRef } from 'react';

/** A key of the current view, and its function. */
interface ViewKey {
  readonly key: string;
  /** Text in the list of keys. */
  readonly does: string;
}

const known = new Set<ViewKey>();

/** The keys of the current view. */
export function keysShown(): readonly ViewKey[] {
  return [...known];
}

/** Runs an action on a key while the view is mounted, unless a field has the focus or a dialog is open; `?` lists it. */
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

/** Whether a key is for the page: the focus is in no field, nothing has handled it, and no dialog is open. */
function isFree({ target, defaultPrevented, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (defaultPrevented || ctrlKey || metaKey || altKey) return false;
  const isTyping =
    target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
  return !isTyping && document.querySelector('dialog[open]') === null;
}
