import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';

/** Keyboard navigation over the rows of a table. */
interface RowKeys {
  /** Index of the row that the Tab key reaches. */
  readonly current: number;
  onKeyDown(event: KeyboardEvent<HTMLElement>): void;
  onFocus(event: FocusEvent<HTMLElement>): void;
}

/**
 * One row of a table is reached by Tab; arrows, Home and End walk from there, Enter opens the first link of the row.
 *
 * @param bring renders the row of an index, and scrolls to it
 */
export function useRowKeys(
  body: RefObject<HTMLElement | null>,
  count: number,
  bring: (index: number) => void,
): RowKeys {
  const [current, setCurrent] = useState(0);
  const wanted = useRef<number>(undefined);
  // A row that was not rendered at the key press is rendered in one of the next frames.
  useEffect(() => {
    if (wanted.current === undefined) return;
    const row = body.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`);
    if (row === null || row === undefined) return;
    wanted.current = undefined;
    row.focus();
  });
  const walk = (index: number): void => {
    const next = Math.min(Math.max(index, 0), count - 1);
    wanted.current = next;
    setCurrent(next);
    bring(next);
  };
  return {
    current,
    onFocus: ({ target }) => {
      const index = target.closest<HTMLElement>('[data-index]')?.dataset.index;
      if (index !== undefined) setCurrent(Number(index));
    },
    onKeyDown: (event) => {
      const { target, key, ctrlKey, metaKey, altKey } = event;
      // Controls in a row handle their own keys.
      if (!(target instanceof HTMLElement) || !target.matches('tr, a') || ctrlKey || metaKey || altKey)
        return;
      const to = { ArrowDown: current + 1, ArrowUp: current - 1, Home: 0, End: count - 1 }[key];
      if (to !== undefined) {
        event.preventDefault();
        walk(to);
      } else if (key === 'Enter' && target.matches('tr')) {
        event.preventDefault();
        target.querySelector<HTMLElement>('a, button')?.click();
      }
    },
  };
}
