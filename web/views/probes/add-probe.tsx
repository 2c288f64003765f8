import { type ReactElement, useState } from 'react';
import { PROJECT_PROBE_TYPES, projectTermsOf } from '../../../src/api/probe-types/index.ts';
import type { ProbeType } from '../../../src/controlplane/schema/generated/types.ts';
import { ask } from '../../api/client.ts';
import { Options } from '../../parts/options/options.tsx';
import { Form } from '../form.tsx';
import { TryProbe } from '../studio/try-probe.tsx';
import { ADD_PROBE } from './generated/probe-request.ts';
import { ProbeFields } from './probe-form.tsx';
import { probeRequest } from './probe-request.ts';

const TYPES = PROJECT_PROBE_TYPES.map((type) => [type, projectTermsOf(type).checks] as const);

/** Creates a probe; its type decides the fields. */
export function AddProbe({ project, onDone }: { readonly project: string; onDone(): void }): ReactElement {
  const [type, setType] = useState<ProbeType>('httpProbe');
  return (
    <details>
      <summary>Create a probe</summary>
      <p className="filter">
        <label>
          It looks at{' '}
          <select
            value={type}
            onChange={({ target }) => setType(TYPES.find(([one]) => one === target.value)?.[0] ?? type)}
          >
            <Options choices={TYPES} />
          </select>
        </label>
      </p>
      <Form
        submit="Create"
        run={(text) => ask(ADD_PROBE, { projectID: project, request: probeRequest(type, text) })}
        onDone={onDone}
      >
        <ProbeFields type={type} />
        <TryProbe key={type} project={project} request={(text) => probeRequest(type, text)} />
      </Form>
    </details>
  );
}
