import { type ReactElement, useState } from 'react';
import { agoWords } from '../../models/words/duration.ts';
import { Button } from '../../parts/button/button.tsx';
import type { Studio } from './use-studio.ts';

/** Shows that unsaved changes of an earlier visit were found, with a button that discards them. */
export function RestoredWork({ studio }: { readonly studio: Studio }): ReactElement | null {
  const [isOpen, setOpen] = useState(true);
  const { foundAtMs } = studio;
  if (foundAtMs === undefined || !isOpen) return null;
  return (
    <p className="away" role="status">
      These are your changes from {agoWords(foundAtMs, Date.now())}, which were not saved.
      {studio.isOutrun ? ' The experiment was changed since then; saving these overwrites that change.' : ''}
      <Button
        label="Give them up"
        onClick={() => {
          studio.discard();
          setOpen(false);
        }}
      />
      <Button label="Continue with them" onClick={() => setOpen(false)} />
    </p>
  );
}
