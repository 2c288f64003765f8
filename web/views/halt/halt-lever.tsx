import { useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { ShownHalt } from '../../models/halt/halt-words.ts';
import { Button } from '../../parts/button/button.tsx';
import { PastTime } from '../../parts/time/past-time.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';

/** The default reason. */
const NO_REASON = 'halted from the page';

/** The lever that stops all chaos, with its state. */
export interface Lever {
  /** Whose chaos it stops, as a noun. */
  readonly what: string;
  /** Undefined while chaos is allowed. */
  readonly halted: ShownHalt | undefined;
  /** Undefined if the reader may not pull it. */
  readonly halt: ((reason: string) => Promise<unknown>) | undefined;
  /** Undefined if the reader may not release it. */
  readonly resume: (() => Promise<unknown>) | undefined;
  /** Called when it was pulled or released. */
  onDone(): void;
}

/** Pulls the lever, after one question. */
export function HaltButton({ what, halt, onDone }: Lever): ReactElement | null {
  const [isAsking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  if (halt === undefined) return null;
  return (
    <>
      <button type="button" className="button" aria-label="Halt all chaos" onClick={() => setAsking(true)}>
        Halt<span className="long">&nbsp;all chaos</span>
      </button>
      {isAsking ? (
        <ConfirmDialog
          title={`Halt all chaos of ${what}?`}
          confirm="Halt and revert"
          refused="It was not halted"
          run={() => halt(reason.trim() || NO_REASON)}
          onDone={onDone}
          onClose={() => setAsking(false)}
        >
          <p>
            Everything that is in force is reverted, runs end, and no new chaos starts until chaos is resumed.
          </p>
          <label>
            Reason, shown on every page while chaos is halted
            <input value={reason} onChange={({ target }) => setReason(target.value)} />
          </label>
        </ConfirmDialog>
      ) : null}
    </>
  );
}

/** A banner on every page while chaos is halted, with who halted it and why, and a button that releases the lever. */
export function HaltBanner({ halted, resume, onDone }: Lever): ReactElement | null {
  const release = useMutation({ mutationFn: async () => resume?.(), onSuccess: onDone });
  if (halted === undefined) return null;
  const { by, sinceMs, reason, notes } = halted;
  return (
    <div className="halted" role="status">
      <span>
        <strong>Chaos is halted</strong> by <bdi>{by}</bdi>
        {sinceMs === undefined ? null : (
          <>
            , <PastTime ms={sinceMs} />
          </>
        )}
        : <bdi>{reason}</bdi>
      </span>
      {notes.map((note) => (
        <span key={note}>{note}</span>
      ))}
      {resume === undefined ? null : (
        <Button label="Resume" isOff={release.isPending} onClick={release.mutate} />
      )}
      {release.error === null ? null : <span role="alert">It was not resumed: {release.error.message}</span>}
    </div>
  );
}
