import { type ReactElement, useState } from 'react';
import { agoWords } from '../../models/words/duration.ts';
import type { Studio } from './use-studio.ts';

/** Shows that unsaved changes of an earlier visit were found, with a button that discards them. */
export function Found({ studio }: { readonly studio: Studio }): ReactElement | null {
  const [isOpen, setOpen] = useState(true);
  const { foundAtMs } = studio;
  if (foundAtMs === undefined || !isOpen) return null;
  return (
    <p className="away" role="status">
      These are your changes from {agoWords(foundAtMs, Date.now())}, which were not saved.
      {studio.isOutrun ? ' The experiment was changed since then; saving these takes that away.' : ''}
      <button
        type="button"
        className="button"
        onClick={() => {
          studio.discard();
          setOpen(false);
        }}
      >
        Give them up
      </button>
      <button type="button" className="button" onClick={() => setOpen(false)}>
        Continue with them
      </button>
    </p>
  );
}
