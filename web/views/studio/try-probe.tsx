import { useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { ProbeRequest, ProbeTrial } from '../../../src/controlplane/schema/generated/types.ts';
import { ask } from '../../api/client.ts';
import { durationWords } from '../../models/words/duration.ts';
import { Options } from '../../parts/options/options.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { useAsk } from '../use-ask.ts';
import { PLACES } from './generated/studio.ts';
import { TRY_PROBE } from './generated/try-probe.ts';
import './try-probe.css';

/** In the form of a probe: tries it once with the current values, by the agent of an infrastructure, and shows the result. */
export function TryProbe({
  project: projectID,
  request,
}: {
  readonly project: string;
  /** The probe from the fields of the form. */
  request(text: (name: string) => string): ProbeRequest;
}): ReactElement {
  const view = useAsk(PLACES, { projectID });
  const infras = 'data' in view ? view.data.listInfras.infras : [];
  const places = infras.filter((infra) => infra !== null).filter(({ isActive }) => isActive);
  const [chosen, setChosen] = useState('');
  const infraID = chosen || (places[0]?.infraID ?? '');
  const trial = useMutation({
    mutationFn: async (form: HTMLFormElement): Promise<ProbeTrial> => {
      const fields = new FormData(form);
      const probe = request((name) => String(fields.get(name) ?? '').trim());
      return (await ask(TRY_PROBE, { projectID, infraID, request: probe })).tryProbe;
    },
  });
  if (places.length === 0) {
    return <p className="hint try-probe">A probe can be tried while an infrastructure is connected.</p>;
  }
  return (
    <div className="try-probe">
      <label>
        Try it from
        <select value={infraID} onChange={({ target }) => setChosen(target.value)}>
          <Options choices={places.map(({ infraID: id, name }) => [id, name])} />
        </select>
      </label>
      <button
        type="button"
        className="button"
        disabled={trial.isPending}
        onClick={({ currentTarget: { form } }) => {
          if (form?.reportValidity() === true) trial.mutate(form);
        }}
      >
        Try it now
      </button>
      <div role="status" className="try-probe-answer">
        {trial.isPending ? (
          'The agent measures it…'
        ) : trial.data === undefined ? null : (
          <Answer trial={trial.data} />
        )}
      </div>
      {trial.error === null ? null : (
        <p role="alert" className="refused">
          It was not tried: {trial.error.message}
        </p>
      )}
    </div>
  );
}

function Answer({ trial: { outcome, text, milliseconds } }: { readonly trial: ProbeTrial }): ReactElement {
  return (
    <>
      <Verdict state={outcome} /> <bdi>{text}</bdi>{' '}
      <span className="hint">in {durationWords(milliseconds)}</span>
    </>
  );
}
