import { type ReactElement, useEffect, useState } from 'react';
import { lazyView } from '../../parts/lazy-view/lazy-view.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import type { Asked } from './asked.ts';

const ProjectPalette = lazyView(
  undefined,
  async () => (await import('./project-palette.tsx')).ProjectPalette,
);
const ClusterPalette = lazyView(
  undefined,
  async () => (await import('./cluster-palette.tsx')).ClusterPalette,
);

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The number of the palette's opening, and whether it is still open. */
interface Openings {
  readonly opening: number;
  readonly isOpen: boolean;
}

/**
 * The next opening, with a new palette: a browser reports the close of a dialog one of its next frames lazyView, and until then the last opening
 * counts as open although it is not visible.
 */
function opened({ opening }: Openings): Openings {
  return { opening: opening + 1, isOpen: true };
}

/** Opens the palette, by its button or by Ctrl-K and ⌘K wherever the focus is. */
export function PaletteKey({ project }: { readonly project: string | undefined }): ReactElement {
  const [{ opening, isOpen }, setState] = useState<Openings>({ opening: 0, isOpen: false });
  const [asked, setAsked] = useState<Asked>();
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      // An open question has to be answered first.
      if (document.querySelector('dialog[open]') === null) setState(opened);
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  const onClose = (): void => setState((now) => (now.opening === opening ? { opening, isOpen: false } : now));
  return (
    <>
      <button
        type="button"
        className="palette-key"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setState(opened)}
      >
        <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <circle cx="7" cy="7" r="4.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
          <path d="m10.5 10.5 4 4" stroke="currentColor" strokeWidth="1.5" />
        </svg>
        <span className="words">Go to …</span>
        {/* The button has the focus, and names its keys. */}
        <kbd aria-hidden="true">{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {!isOpen ? null : project === undefined ? (
        <ClusterPalette key={opening} onAsk={setAsked} onClose={onClose} />
      ) : (
        <ProjectPalette key={opening} project={project} onAsk={setAsked} onClose={onClose} />
      )}
      {asked === undefined ? null : (
        <ConfirmDialog {...asked} onClose={() => setAsked(undefined)}>
          <p>{asked.text}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
