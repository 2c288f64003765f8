import { type ReactElement, useEffect, useRef } from 'react';
import { Button } from '../../parts/button/button.tsx';
import './keys.css';
import { keysShown } from './use-key.ts';

/** Keys of every view. */
const EVERYWHERE: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl K, ⌘ K', 'go to anything, or do something'],
  ['Tab', 'to what can be used next'],
];
const OF_TABLES: readonly (readonly [keys: string, does: string])[] = [
  ['↑ ↓', 'previous or next row'],
  ['Home End', 'first or last row'],
  ['Enter', 'open the row'],
];

/** The keys of the current view. */
export function KeysDialog({ onClose }: { onClose(): void }): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const ofView = keysShown().map(({ key, does }) => [key, does] as const);
  const hasTable = document.querySelector('tr[tabindex]') !== null;
  const hasAxis = document.querySelector('.timeline') !== null;
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="keys-title" onClose={onClose}>
      <h2 id="keys-title">Keys</h2>
      <KeyList name="On this page" keys={[...EVERYWHERE, ...ofView]} />
      {hasTable ? <KeyList name="In a table" keys={OF_TABLES} /> : null}
      {hasAxis ? (
        <p className="hint">The time axis has keys of its own: `?` lists them while it has the focus.</p>
      ) : null}
      <div className="dialog-buttons">
        <Button label="Close" onClick={() => dialog.current?.close()} />
      </div>
    </dialog>
  );
}

function KeyList({
  name,
  keys,
}: {
  readonly name: string;
  readonly keys: readonly (readonly [keys: string, does: string])[];
}): ReactElement {
  return (
    <>
      <h3>{name}</h3>
      <dl className="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
