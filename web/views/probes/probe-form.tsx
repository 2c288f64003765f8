import type { ReactElement } from 'react';
import type { ProbeType } from '../../../src/controlplane/schema/generated/types.ts';
import { ChoiceField, TextField } from '../form.tsx';
import type { ShownProbe } from './generated/probes.ts';
import { probeTexts } from './probe-texts.ts';

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

/** The fields of a probe of a type, for a new or an existing one. */
export function ProbeFields({
  type,
  probe,
}: {
  readonly type: ProbeType;
  /** The existing probe, whose name stays. */
  readonly probe?: ShownProbe;
}): ReactElement {
  const texts = probe === undefined ? {} : probeTexts(probe);
  return (
    <>
      {probe === undefined ? <TextField name="name" label="Name" /> : null}
      <TextField name="description" label="Description" isNeeded={false} initial={texts.description} />
      <OwnFields type={type} texts={texts} />
      <TextField name="timeout" label="One attempt takes at most" initial={texts.timeout ?? '5s'} />
      <TextField name="interval" label="Between attempts" initial={texts.interval ?? '2s'} />
      <TextField name="attempt" label="Attempts" type="number" initial={texts.attempt ?? '1'} />
    </>
  );
}

type Initial = ReturnType<typeof probeTexts>;

function OwnFields({ type, texts }: { readonly type: ProbeType; readonly texts: Initial }): ReactElement {
  switch (type) {
    case 'httpProbe':
      return (
        <>
          <TextField name="url" label="URL" type="url" initial={texts.url} />
          <ChoiceField
            name="criteria"
            label="The status has to be"
            choices={NUMBERS}
            initial={texts.criteria}
          />
          <TextField name="value" label="this" initial={texts.value ?? '200'} />
        </>
      );
    case 'cmdProbe':
      return (
        <>
          <TextField name="command" label="Command" initial={texts.command} />
          <Comparison texts={texts} />
        </>
      );
    case 'promProbe':
      return (
        <>
          <TextField name="endpoint" label="Prometheus" type="url" initial={texts.endpoint} />
          <TextField name="query" label="Query" initial={texts.query} />
          <Comparison texts={texts} />
        </>
      );
    case 'k8sProbe':
      return (
        <>
          <TextField
            name="group"
            label="API group; none for the core"
            isNeeded={false}
            initial={texts.group}
          />
          <TextField name="version" label="API version" initial={texts.version ?? 'v1'} />
          <TextField name="resource" label="Resource, in the plural" initial={texts.resource ?? 'pods'} />
          <TextField name="namespace" label="Namespace" isNeeded={false} initial={texts.namespace} />
          <TextField name="labels" label="Labels" isNeeded={false} initial={texts.labels} />
          <ChoiceField
            name="operation"
            label="They have to be"
            choices={OPERATIONS}
            initial={texts.operation}
          />
        </>
      );
  }
}

function Comparison({ texts }: { readonly texts: Initial }): ReactElement {
  return (
    <>
      <ChoiceField name="valueType" label="The result is a" choices={VALUE_TYPES} initial={texts.valueType} />
      <ChoiceField
        name="criteria"
        label="It has to be, or as text"
        choices={[...NUMBERS, ...TEXTS]}
        initial={texts.criteria}
      />
      <TextField name="value" label="this" initial={texts.value} />
    </>
  );
}
