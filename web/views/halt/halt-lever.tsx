import { useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { ShownHalt } from '../../models/halt/halt-words.ts';
import { agoWords } from '../../models/words/duration.ts';
import { Dialog } from '../../parts/dialog/dialog.tsx';

/** What is kept as the reason where the reader gives none. */
const NO_REASON = 'halted from the page';

interface LeverProps {
  /** Whose chaos it stops, as a noun. */
  readonly what: string;
  /** Undefined while chaos is allowed. */
  readonly halted: ShownHalt | undefined;
  halt(reason: string): Promise<unknown>;
  resume(): Promise<unknown>;
  /** Told that it was pulled or released. */
  onDone(): void;
}

/** The lever that stops all chaos, with its state: one question to pull it, one click to release it. */
export function HaltLever(props: LeverProps): ReactElement {
  const { halted } = props;
  return halted === undefined ? <Armed {...props} /> : <Halted {...props} halted={halted} />;
}

function Armed({ what, halt, onDone }: LeverProps): ReactElement {
  const [isAsking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  const pull = useMutation({
    mutationFn: () => halt(reason.trim() || NO_REASON),
    onSuccess: () => {
      setAsking(false);
      onDone();
    },
  });
  return (
    <>
      <button type="button" className="button" onClick={() => setAsking(true)}>
        Halt all chaos
      </button>
      {isAsking ? (
        <Dialog
          title={`Halt all chaos of ${what}?`}
          confirm="Halt and revert"
          isBusy={pull.isPending}
          onConfirm={() => pull.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>
            Everything that is in force is reverted, runs end, and no new chaos starts until somebody resumes
            it.
          </p>
          <label>
            Reason, for those who find it halted
            <input value={reason} onChange={({ target }) => setReason(target.value)} />
          </label>
          {pull.error === null ? null : <p role="alert">It was not halted: {pull.error.message}</p>}
        </Dialog>
      ) : null}
    </>
  );
}

function Halted({ halted, resume, onDone }: LeverProps & { readonly halted: ShownHalt }): ReactElement {
  const { by, sinceMs, reason, notes } = halted;
  const release = useMutation({ mutationFn: resume, onSuccess: onDone });
  return (
    <div className="halted" role="status">
      <span>
        <strong>Chaos is halted</strong> by <bdi>{by}</bdi>
        {sinceMs === undefined ? '' : `, ${agoWords(sinceMs, Date.now())}`}: <bdi>{reason}</bdi>
      </span>
      {notes.map((note) => (
        <span key={note}>{note}</span>
      ))}
      <button type="button" className="button" disabled={release.isPending} onClick={() => release.mutate()}>
        Resume
      </button>
      {release.error === null ? null : <span role="alert">It was not resumed: {release.error.message}</span>}
    </div>
  );
}
