import { type ReactElement, useState } from 'react';
import { parse } from 'yaml';
import { ask } from '../../api/client.ts';
import type { Fault } from '../../models/studio/draft.ts';
import { readFault } from '../../models/studio/read-fault.ts';
import { ChoiceField, Form } from '../form.tsx';
import { FAULT, HUB, HUBS, type ShownChart } from '../hubs/hubs-query.ts';
import { StateView } from '../state-view.tsx';
import { useAsk } from '../use-ask.ts';
import { Field } from './field.tsx';

/** Chooses a fault from a hub. */
export function AddFault({
  project,
  onAdd,
}: {
  readonly project: string;
  onAdd(fault: Fault): void;
}): ReactElement {
  const view = useAsk(HUBS, { projectID: project }, ({ listChaosHub }) => listChaosHub.length === 0);
  const [chosen, setChosen] = useState('');
  return (
    <StateView
      view={view}
      what="the hubs"
      empty={<p className="hint">There is no hub to take faults from.</p>}
    >
      {({ listChaosHub }) => {
        const hubs = listChaosHub.filter((hub) => hub !== null);
        const hub = chosen || (hubs[0]?.id ?? '');
        return (
          <>
            <div className="form">
              <Field label="Hub">
                <select value={hub} onChange={({ target }) => setChosen(target.value)}>
                  {hubs.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </select>
              </Field>
            </div>
            <Faults key={hub} project={project} hub={hub} onAdd={onAdd} />
          </>
        );
      }}
    </StateView>
  );
}

function Faults({
  project,
  hub,
  onAdd,
}: {
  readonly project: string;
  readonly hub: string;
  onAdd(fault: Fault): void;
}): ReactElement {
  const view = useAsk(HUB, { projectID: project, id: hub }, () => false);
  return (
    <StateView view={view} what="the faults of the hub" empty={null}>
      {({ listChaosFaults }) => (
        <Form
          submit="Add this fault"
          run={async (text) => onAdd(await readFrom(project, hub, text('fault')))}
        >
          <ChoiceField name="fault" label="Fault" choices={choicesOf(listChaosFaults)} />
        </Form>
      )}
    </StateView>
  );
}

function choicesOf(charts: readonly ShownChart[]): [value: string, words: string][] {
  return charts.flatMap(({ metadata, spec }) =>
    spec.faults.map(({ name, displayName }): [string, string] => [
      `${metadata.name}/${name}`,
      `${spec.displayName || metadata.name}: ${displayName || name}`,
    ]),
  );
}

/** Reads a fault, `category/name`, of a hub. @throws ApiProblem, YAMLParseError */
async function readFrom(projectID: string, hub: string, place: string): Promise<Fault> {
  const [category = '', name = ''] = place.split('/');
  const { getChaosFault } = await ask(FAULT, { projectID, hub, category, name });
  return readFault(name, parse(getChaosFault.fault), parse(getChaosFault.engine));
}
