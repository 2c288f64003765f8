import { type ReactElement, useDeferredValue } from 'react';
import { Link } from 'wouter';
import { HUB_ADDRESS } from '../../address/hub.ts';
import { listPath } from '../../address/routes.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import { SearchField } from '../list-parts.tsx';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { useTitle } from '../use-title.ts';
import { Experiments } from './experiments.tsx';
import { FaultDetail } from './fault-detail.tsx';
import { HUB, type ShownChart } from './hubs-query.ts';
import './hub.css';

/** What a hub has to offer. */
export function HubView({ project, hub }: { readonly project: string; readonly hub: string }): ReactElement {
  const { state, change } = useAddress(HUB_ADDRESS);
  const find = useDeferredValue(state.find).toLowerCase();
  const view = useAsk(HUB, { projectID: project, id: hub }, () => false);
  useTitle('Hub');
  return (
    <>
      <p className="hint">
        <Link href={listPath(project, 'hubs')}>Hubs</Link>
      </p>
      <StateView view={view} what="the hub" empty={null}>
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
            <Faults charts={narrowed(listChaosFaults, find)} onOpen={(fault) => change({ fault }, 'push')} />
            <Experiments
              project={project}
              hub={hub}
              experiments={listPredefinedExperiments.filter(({ experimentName }) =>
                experimentName.toLowerCase().includes(find),
              )}
            />
          </>
        )}
      </StateView>
    </>
  );
}

/** The charts that have faults with a text, with those faults only. */
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
  if (charts.length === 0)
    return <Notice title="No fault of this hub is shown" text="It has none of this name." />;
  return (
    <>
      {charts.map(({ metadata, spec }) => (
        <section key={metadata.name} aria-label={spec.displayName || metadata.name}>
          <h2>{spec.displayName || metadata.name}</h2>
          <ul className="offers">
            {spec.faults.map(({ name, displayName, description }) => (
              <li key={name}>
                <button type="button" className="link" onClick={() => onOpen(`${metadata.name}/${name}`)}>
                  {displayName || name}
                </button>
                <p>{description}</p>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
