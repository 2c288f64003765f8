import { useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { parse } from 'yaml';
import { ask } from '../../api/client.ts';
import { firstFaults } from '../../models/studio/deed.ts';
import type { HubFault } from '../../models/studio/draft.ts';
import { readFault } from '../../models/studio/read-fault.ts';
import { Button } from '../../parts/button/button.tsx';
import { FAULT, HUB, HUBS, type ShownChart } from '../hubs/generated/hubs.ts';
import { kubernetesFirst } from '../hubs/kubernetes-first.ts';
import { StateView } from '../state-view.tsx';
import { useAsk } from '../use-ask.ts';
import { SelectInput } from './field.tsx';

interface Props {
  readonly project: string;
  /** Whether the experiment has no fault yet: then what most begin with is offered. */
  readonly isFirst: boolean;
  onAdd(fault: HubFault): void;
}

/** Selects a fault from a hub, and describes it before it is added. */
export function AddFault({ project, isFirst, onAdd }: Props): ReactElement {
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
          <section aria-label="Add a fault" className="add-fault">
            <div className="form">
              <SelectInput
                label="Hub"
                value={hub}
                choices={hubs.map(({ id, name }) => [id, name])}
                onChange={setChosen}
              />
            </div>
            <Faults key={hub} project={project} hub={hub} isFirst={isFirst} onAdd={onAdd} />
          </section>
        );
      }}
    </StateView>
  );
}

function Faults({ project, hub, isFirst, onAdd }: Props & { readonly hub: string }): ReactElement {
  const view = useAsk(HUB, { projectID: project, id: hub });
  const [fault, setFault] = useState('');
  const action = useMutation({
    mutationFn: async (place: string) => onAdd(await readFrom(project, hub, place)),
    onSuccess: () => setFault(''),
  });
  return (
    <StateView view={view} what="the faults of the hub">
      {({ listChaosFaults }) => (
        <div className="form">
          {isFirst ? (
            <p className="buttons">
              {firstFaults(placesOf(listChaosFaults)).map(({ place, words }) => (
                <Button
                  key={place}
                  label={words}
                  isOff={action.isPending}
                  onClick={() => action.mutate(place)}
                />
              ))}
            </p>
          ) : null}
          <SelectInput
            label="Fault"
            value={fault}
            choices={[['', 'choose a fault'], ...choicesOf(listChaosFaults)]}
            help={descriptionOf(listChaosFaults, fault)}
            onChange={setFault}
          />
          <p className="form-end">
            <Button
              label="Add this fault"
              isOff={fault === '' || action.isPending}
              onClick={() => action.mutate(fault)}
            />
          </p>
          {action.error === null ? null : (
            <p role="alert" className="refused">
              This fault cannot be added: {action.error.message}
            </p>
          )}
        </div>
      )}
    </StateView>
  );
}

function placesOf(charts: readonly ShownChart[]): string[] {
  return charts.flatMap(({ metadata, spec }) => spec.faults.map(({ name }) => `${metadata.name}/${name}`));
}

function choicesOf(charts: readonly ShownChart[]): [value: string, words: string][] {
  return kubernetesFirst(charts).flatMap(({ metadata, spec }) =>
    spec.faults.map(({ name, displayName }): [string, string] => [
      `${metadata.name}/${name}`,
      `${spec.displayName || metadata.name}: ${displayName || name}`,
    ]),
  );
}

function descriptionOf(charts: readonly ShownChart[], place: string): string | undefined {
  return charts
    .flatMap(({ metadata, spec }) => spec.faults.map((fault) => ({ chart: metadata.name, fault })))
    .find(({ chart, fault }) => `${chart}/${fault.name}` === place)?.fault.description;
}

/** Reads a fault, `category/name`, of a hub. @throws ApiProblem, YAMLParseError */
async function readFrom(projectID: string, hub: string, place: string): Promise<HubFault> {
  const [category = '', name = ''] = place.split('/');
  const { getChaosFault } = await ask(FAULT, { projectID, hub, category, name });
  return readFault(name, parse(getChaosFault.fault), parse(getChaosFault.engine));
}
