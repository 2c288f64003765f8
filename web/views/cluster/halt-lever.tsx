import { useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { ClusterHalt } from '../../../src/controlplane/schema/generated/types.ts';
import { ask } from '../../api/client.ts';
import { agoWords } from '../../models/words/duration.ts';
import { Dialog } from '../../parts/dialog/dialog.tsx';
import { useAsk } from '../use-ask.ts';
import { HALT, HALTS, RESUME } from './halt-query.ts';

const NO_VARIABLES = {};
/** What is kept as the reason where the reader gives none. */
const NO_REASON = 'halted from the page';

/** The lever that stops all chaos of the cluster, with its state. Nothing is shown where it cannot be read: the page below says why. */
export function HaltLever(): ReactElement | null {
  const view = useAsk(HALTS, NO_VARIABLES, () => false);
  if (view.state !== 'shown' && view.state !== 'away') return null;
  const [halt] = view.data.clusterHalts;
  return halt === undefined ? <Armed onDone={view.retry} /> : <Halted halt={halt} onDone={view.retry} />;
}

function Armed({ onDone }: { onDone(): void }): ReactElement {
  const [isAsking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  const halt = useMutation({
    mutationFn: () => ask(HALT, { reason: reason.trim() || NO_REASON }),
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
          title="Halt all chaos of this cluster?"
          confirm="Halt and revert"
          isBusy={halt.isPending}
          onConfirm={() => halt.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>
            Everything that is in force is reverted, runs end, and no new chaos starts until somebody resumes
            it.
          </p>
          <label>
            Reason, for those who find it halted{' '}
            <input value={reason} onChange={({ target }) => setReason(target.value)} />
          </label>
          {halt.error === null ? null : <p role="alert">It was not halted: {halt.error.message}</p>}
        </Dialog>
      ) : null}
    </>
  );
}

function Halted({ halt, onDone }: { readonly halt: ClusterHalt; onDone(): void }): ReactElement {
  const resume = useMutation({
    mutationFn: () => ask(RESUME, { namespace: halt.namespace === '' ? null : halt.namespace }),
    onSuccess: onDone,
  });
  const since = halt.since === null ? '' : `, ${agoWords(Number(halt.since), Date.now())}`;
  return (
    <div className="halted" role="status">
      <span>
        <strong>Chaos is halted</strong>
        {halt.namespace === '' ? '' : ` in ${halt.namespace}`} by <bdi>{halt.by}</bdi>
        {since}: <bdi>{halt.reason}</bdi>
      </span>
      <button type="button" className="button" disabled={resume.isPending} onClick={() => resume.mutate()}>
        Resume
      </button>
      {resume.error === null ? null : <span role="alert">It was not resumed: {resume.error.message}</span>}
    </div>
  );
}
