import { type ReactElement, useState } from 'react';
import type { ProbeType } from '../../../src/controlplane/schema/generated/types.ts';
import { ask } from '../../api/client.ts';
import { ChoiceField, Form, TextField } from '../form.tsx';
import { PROBE_KINDS } from './probe-kinds.ts';
import { probeRequest } from './probe-request.ts';
import { ADD_PROBE } from './probe-request-query.ts';

const TYPES = Object.entries(PROBE_KINDS) as [ProbeType, string][];
const NUMBERS = ['==', '!=', '<', '<=', '>', '>='].map((one) => [one, one] as const);
const TEXTS = [
  ['equal', 'is'],
  ['notEqual', 'is not'],
  ['contains', 'contains'],
] as const;
const VALUE_TYPES = [
  ['int', 'whole number'],
  ['float', 'number'],
  ['string', 'text'],
] as const;
const OPERATIONS = ['present', 'absent'].map((one) => [one, one] as const);

/** Makes a probe: which fields there are depends on what it looks at. */
export function AddProbe({ project, onDone }: { readonly project: string; onDone(): void }): ReactElement {
  const [type, setType] = useState<ProbeType>('httpProbe');
  return (
    <details>
      <summary>Make a probe</summary>
      <p className="filter">
        <label>
          It looks at{' '}
          <select
            value={type}
            onChange={({ target }) => setType(TYPES.find(([one]) => one === target.value)?.[0] ?? type)}
          >
            {TYPES.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </p>
      <Form
        submit="Make it"
        run={(text) => ask(ADD_PROBE, { projectID: project, request: probeRequest(type, text) })}
        onDone={onDone}
      >
        <TextField name="name" label="Name" />
        <TextField name="description" label="Description" isNeeded={false} />
        <OwnFields type={type} />
        <TextField name="timeout" label="One attempt takes at most" initial="5s" />
        <TextField name="interval" label="Between attempts" initial="2s" />
        <TextField name="attempt" label="Attempts" type="number" initial="1" />
      </Form>
    </details>
  );
}

function OwnFields({ type }: { readonly type: ProbeType }): ReactElement {
  switch (type) {
    case 'httpProbe':
      return (
        <>
          <TextField name="url" label="URL" type="url" />
          <ChoiceField name="criteria" label="The status has to be" choices={NUMBERS} />
          <TextField name="value" label="this" initial="200" />
        </>
      );
    case 'cmdProbe':
      return (
        <>
          <TextField name="command" label="Command" />
          <Comparison />
        </>
      );
    case 'promProbe':
      return (
        <>
          <TextField name="endpoint" label="Prometheus" type="url" />
          <TextField name="query" label="Query" />
          <Comparison />
        </>
      );
    case 'k8sProbe':
      return (
        <>
          <TextField name="group" label="API group; none for the core" isNeeded={false} />
          <TextField name="version" label="API version" initial="v1" />
          <TextField name="resource" label="Resource, in the plural" initial="pods" />
          <TextField name="namespace" label="Namespace" isNeeded={false} />
          <TextField name="labels" label="Labels" isNeeded={false} />
          <ChoiceField name="operation" label="They have to be" choices={OPERATIONS} />
        </>
      );
  }
}

function Comparison(): ReactElement {
  return (
    <>
      <ChoiceField name="valueType" label="The result is a" choices={VALUE_TYPES} />
      <ChoiceField name="criteria" label="It has to be, or as text" choices={[...NUMBERS, ...TEXTS]} />
      <TextField name="value" label="this" />
    </>
  );
}
