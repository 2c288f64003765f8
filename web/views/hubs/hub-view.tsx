import { type ReactElement, useDeferredValue } from 'react';
import { Link } from 'wouter';
import { HUB_ADDRESS } from '../../address/hub.ts';
import { listPath } from '../../address/routes.ts';
import { Button } from '../../parts/button/button.tsx';
import { Notice } from '../../parts/panel/panel.tsx';
import { FilteredOut, SearchField } from '../list-parts.tsx';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { useTitle } from '../use-title.ts';
import { Experiments } from './experiments.tsx';
import { FaultDetail } from './fault-detail.tsx';
import { HUB, type ShownChart } from './generated/hubs.ts';
import { kubernetesFirst } from './kubernetes-first.ts';
import './hub.css';

/** The contents of a hub. */
export function HubView({ project, hub }: { readonly project: string; readonly hub: string }): ReactElement {
  const { state, change } = useAddress(HUB_ADDRESS);
  const find = useDeferredValue(state.find).toLowerCase();
  const view = useAsk(HUB, { projectID: project, id: hub });
  useTitle('Hub');
  return (
    <>
      <p className="hint">
        <Link href={listPath(project, 'hubs')}>Hubs</Link>
      </p>
      <StateView view={view} heading="Hub" what="the hub">
        {({ getChaosHub, listChaosFaults, listPredefinedExperiments }) => (
          <>
            <h1>
              <bdi>{getChaosHub.name}</bdi>
            </h1>
            {state.fault === '' ? null : (
              <FaultDetail
                key={state.fault}
                project={project}
                hub={hub}
                fault={state.fault}
                onClose={() => change({ fault: '' }, 'push')}
              />
            )}
            <SearchField value={state.find} onChange={(text) => change({ find: text }, 'replace')} />
            <Offers
              project={project}
              hub={hub}
              charts={kubernetesFirst(listChaosFaults)}
              experiments={listPredefinedExperiments}
              find={find}
              onOpen={(fault) => change({ fault }, 'push')}
              onClear={() => change({ find: '' }, 'push')}
            />
          </>
        )}
      </StateView>
    </>
  );
}

/** Faults and experiments whose names contain a text. */
function Offers({
  project,
  hub,
  charts,
  experiments,
  find,
  onOpen,
  onClear,
}: {
  readonly project: string;
  readonly hub: string;
  readonly charts: readonly ShownChart[];
  readonly experiments: Parameters<typeof Experiments>[0]['experiments'];
  /** In lower case. */
  readonly find: string;
  onOpen(fault: string): void;
  onClear(): void;
}): ReactElement {
  const shown = narrowed(charts, find);
  const named = experiments.filter(({ experimentName }) => experimentName.toLowerCase().includes(find));
  if (shown.length === 0 && named.length === 0) {
    const hidden = charts.reduce((sum, { spec }) => sum + spec.faults.length, experiments.length);
    return find === '' ? (
      <Notice title="This hub has nothing" text="Neither faults nor experiments were found in it." />
    ) : (
      <FilteredOut what="fault or experiment" hidden={hidden} onClear={onClear} />
    );
  }
  return (
    <>
      <Experiments project={project} hub={hub} experiments={named} />
      <Faults charts={shown} onOpen={onOpen} />
    </>
  );
}

/** The charts with matching faults, reduced to those faults. */
function narrowed(charts: readonly ShownChart[], find: string): ShownChart[] {
  return charts
    .map(({ metadata, spec }) => ({
      metadata,
      spec: {
        ...spec,
        faults: spec.faults.filter(({ name, displayName }) =>
          `${name} ${displayName}`.toLowerCase().includes(find),
        ),
      },
    }))
    .filter(({ spec }) => spec.faults.length > 0);
}

function Faults({
  charts,
  onOpen,
}: {
  readonly charts: readonly ShownChart[];
  onOpen(fault: string): void;
}): ReactElement {
  return (
    <>
      {charts.map(({ metadata, spec }) => (
        <section key={metadata.name} aria-label={spec.displayName || metadata.name}>
          <h2>
            <bdi>{spec.displayName || metadata.name}</bdi>
          </h2>
          <ul className="offers">
            {spec.faults.map(({ name, displayName, description }) => (
              <li key={name}>
                <Button
                  look="link"
                  label={<bdi>{displayName || name}</bdi>}
                  onClick={() => onOpen(`${metadata.name}/${name}`)}
                />
                <p>
                  <bdi>{description}</bdi>
                </p>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
