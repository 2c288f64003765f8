import { type KeyboardEvent, type ReactElement, useEffect, useId, useRef, useState } from 'react';
import { found } from '../../models/palette/find.ts';
import './palette.css';

/** A destination or an action. */
export interface PaletteItem {
  readonly id: string;
  /** What it is, as a noun: `Run`, `Page`. */
  readonly kind: string;
  readonly label: string;
  /** Other words that lead to it. */
  readonly words?: string;
  act(): void;
}

/** Maximum number of shown items. */
const MOST = 50;

/**
 * A search field with its results. The focus stays in the field: arrows select, Enter runs, Escape closes. Screen readers announce the number of
 * results and the selected one.
 */
export function Palette({
  items,
  isComplete,
  onType,
  onClose,
}: {
  readonly items: readonly PaletteItem[];
  /** Whether all items are loaded. */
  readonly isComplete: boolean;
  /** Called with the typed text. */
  onType(typed: string): void;
  onClose(): void;
}): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState('');
  const [place, setPlace] = useState(0);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const shown = found(items, typed, MOST);
  const chosen = Math.min(place, shown.length - 1);
  // Another list moves what is chosen as well.
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen, shown.length]);
  const act = (item: PaletteItem | undefined): void => {
    if (item === undefined) return;
    dialog.current?.close();
    item.act();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = shown.length - 1;
    const to = {
      ArrowDown: chosen >= last ? 0 : chosen + 1,
      ArrowUp: chosen <= 0 ? last : chosen - 1,
      PageDown: Math.min(last, chosen + 8),
      PageUp: Math.max(0, chosen - 8),
    }[event.key];
    if (to !== undefined) setPlace(Math.max(0, to));
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) act(shown[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    // oxlint-disable-next-line click-events-have-key-events no-noninteractive-element-interactions -- a click beside the sheet closes it, as Escape does
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Search or run a command"
      onClose={onClose}
      onClick={({ target }) => (target === dialog.current ? dialog.current?.close() : undefined)}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Search or run a command"
        aria-expanded="true"
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
        placeholder="Go to, run, stop …"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setPlace(0);
          onType(target.value);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={id} className="palette-list" role="listbox" aria-label="Results" tabIndex={-1}>
        {shown.map((item, index) => (
          // oxlint-disable-next-line click-events-have-key-events -- keys are the field's, which keeps the focus
          <div
            key={item.id}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => act(item)}
          >
            <bdi>{item.label}</bdi> <small>{item.kind}</small>
          </div>
        ))}
      </div>
      <p role="status">
        {shown.length === 0
          ? isComplete
            ? 'Nothing matches.'
            : 'Looking …'
          : `${shown.length} found${isComplete ? '' : ' so far'}`}
      </p>
    </dialog>
  );
}
