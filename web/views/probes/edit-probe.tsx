import type { ReactElement } from 'react';
import { ask } from '../../api/client.ts';
import { Form } from '../form.tsx';
import { TryProbe } from '../studio/try-probe.tsx';
import { UPDATE_PROBE } from './generated/probe-request.ts';
import type { ShownProbe } from './generated/probes.ts';
import { ProbeFields } from './probe-form.tsx';
import { probeRequest } from './probe-request.ts';

/** Changes a probe; its name and type stay. */
export function EditProbe({
  project: projectID,
  probe,
  onDone,
}: {
  readonly project: string;
  readonly probe: ShownProbe;
  onDone(): void;
}): ReactElement {
  const { type } = probe;
  return (
    <details>
      <summary>Change it</summary>
      <p className="hint">Experiments that name it run with what it is then.</p>
      <Form
        // Resets the form to the new values after a change.
        key={probe.updatedAt}
        submit="Change it"
        run={(text) => ask(UPDATE_PROBE, { projectID, request: probeRequest(type, text, probe) })}
        onDone={onDone}
      >
        <ProbeFields type={type} probe={probe} />
        <TryProbe project={projectID} request={(text) => probeRequest(type, text, probe)} />
      </Form>
    </details>
  );
}
