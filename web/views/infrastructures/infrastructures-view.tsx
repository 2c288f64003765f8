import { type ReactElement, useDeferredValue, useState } from 'react';
import { Link } from 'wouter';
import { LIST_ADDRESS } from '../../address/list.ts';
import { listPath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { whoMay } from '../../models/access/may.ts';
import { plainText } from '../../models/words/plain.ts';
import { Live } from '../../parts/live/live.tsx';
import { Notice } from '../../parts/panel/panel.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { When } from '../../parts/when/when.tsx';
import { Act } from '../act.tsx';
import { changesOf, PROJECT_CHANGES } from '../changes-query.ts';
import { FilteredOut, ListFoot, orderOf, SearchField } from '../list-parts.tsx';
import { PAGE_ROWS, pageOf } from '../pages.ts';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { useFollow } from '../use-follow.ts';
import { useMay } from '../use-may.ts';
import { useTitle } from '../use-title.ts';
import { Connect } from './connect.tsx';
import './metrics.css';
import { DISCONNECT, INFRA_COUNT, INFRASTRUCTURES, type ListedInfra } from './infrastructures-query.ts';
import { Metrics } from './metrics.tsx';

const changesInfras = changesOf('infra');

/** The infrastructures of a project. */
export function InfrastructuresView({ project }: { readonly project: string }): ReactElement {
  const { state, change } = useAddress(LIST_ADDRESS);
  const name = useDeferredValue(state.find);
  const page = pageOf(state.page);
  const variables = { projectID: project, page, limit: PAGE_ROWS, name };
  const view = useAsk(INFRASTRUCTURES, variables, ({ listInfras }) => listInfras.totalNoOfInfras === 0);
  const connection = useFollow(
    { document: INFRASTRUCTURES, variables },
    { document: PROJECT_CHANGES, variables: { projectID: project } },
    changesInfras,
  );
  const may = useMay(project);
  /** The infrastructure whose metrics are shown. */
  const [chosen, setChosen] = useState<string>();
  useTitle('Infrastructures');
  return (
    <>
      <div className="page-head">
        <h1>Infrastructures</h1>
        <Live connection={connection} />
      </div>
      {may('registerInfra') ? <Connect project={project} onDone={view.retry} /> : null}
      <SearchField value={state.find} onChange={(find) => change({ find, page: undefined }, 'replace')} />
      <StateView
        view={view}
        what="the infrastructures"
        empty={
          name === '' ? (
            <Notice
              title="No cluster is connected"
              text={
                may('registerInfra')
                  ? 'Register one above and apply its manifest there; its state appears here.'
                  : `${whoMay('registerInfra')} of the project can connect one; its state appears here.`
              }
            />
          ) : (
            <Hidden project={project} onClear={() => change({ find: '', page: undefined }, 'push')} />
          )
        }
      >
        {({ listInfras: { infras, totalNoOfInfras } }) => (
          <>
            <DataTable
              name="infrastructures"
              label="Infrastructures"
              columns={
                may('deleteInfra')
                  ? [...columnsOf(project, setChosen), actsColumn(project, view.retry)]
                  : columnsOf(project, setChosen)
              }
              rows={infras.filter((infra) => infra !== null)}
              keyOf={({ infraID }) => infraID}
              {...orderOf(state.order, change)}
            />
            {infras
              .filter((infra) => infra !== null)
              .filter(({ infraID }) => infraID === chosen)
              .map((infra) => (
                <Metrics
                  key={infra.infraID}
                  project={project}
                  infra={infra}
                  onDone={() => {
                    setChosen(undefined);
                    view.retry();
                  }}
                />
              ))}
            <ListFoot
              page={page}
              total={totalNoOfInfras}
              onPage={(next) => change({ page: next === 0 ? undefined : next }, 'push')}
            />
          </>
        )}
      </StateView>
    </>
  );
}

function stateOf({ isActive, isInfraConfirmed }: ListedInfra): string {
  return isActive ? 'Connected' : isInfraConfirmed ? 'Disconnected' : 'Pending';
}

function Hidden({ project, onClear }: { readonly project: string; onClear(): void }): ReactElement {
  const all = useAsk(INFRA_COUNT, { projectID: project }, () => false);
  const hidden = all.state === 'shown' ? all.data.listInfras.totalNoOfInfras : undefined;
  return <FilteredOut what="infrastructure" hidden={hidden} onClear={onClear} />;
}

function columnsOf(project: string, onMetrics: (infra: string) => void): readonly Column<ListedInfra>[] {
  return [
    { id: 'name', name: 'Infrastructure', order: ({ name }) => name, cell: ({ name }) => <bdi>{name}</bdi> },
    { id: 'state', name: 'State', order: stateOf, cell: (infra) => <Verdict state={stateOf(infra)} /> },
    {
      id: 'reaches',
      name: 'Reaches',
      order: ({ infraScope }) => infraScope,
      cell: ({ infraScope }) => (infraScope === 'cluster' ? 'the whole cluster' : 'its namespace'),
    },
    {
      id: 'environment',
      name: 'Environment',
      order: ({ environmentID }) => environmentID,
      cell: ({ environmentID }) => <bdi>{environmentID}</bdi>,
    },
    {
      id: 'runs',
      name: 'Runs',
      isNumber: true,
      order: ({ noOfExperimentRuns }) => noOfExperimentRuns ?? 0,
      cell: ({ noOfExperimentRuns, infraID }) => (
        <Link href={`${listPath(project, 'runs')}?${new URLSearchParams({ infra: infraID, v: '1' })}`}>
          {noOfExperimentRuns ?? 0}
        </Link>
      ),
    },
    {
      id: 'metrics',
      name: 'Metrics',
      order: ({ metrics }) => (metrics ? 'of a Prometheus' : 'none'),
      cell: ({ infraID, name, metrics }) => (
        <button
          type="button"
          className="link act"
          aria-label={`Metrics of ${plainText(name)}: ${metrics ? 'of a Prometheus' : 'none'}`}
          onClick={() => onMetrics(infraID)}
        >
          {metrics ? 'of a Prometheus' : 'none'}
        </button>
      ),
    },
    { id: 'agent', name: 'Agent', order: ({ version }) => version, cell: ({ version }) => version },
    {
      id: 'changed',
      name: 'Changed',
      order: ({ updatedAt }) => Number(updatedAt),
      cell: ({ updatedAt }) => <When ms={Number(updatedAt)} />,
    },
  ];
}

function actsColumn(projectID: string, onDone: () => void): Column<ListedInfra> {
  return {
    id: 'acts',
    name: 'Actions',
    cell: ({ infraID, name }) => (
      <Act
        label="Disconnect"
        name={`Disconnect ${name}`}
        question="Its agent removes itself from the cluster. Its experiments can no longer run; their runs stay."
        run={() => ask(DISCONNECT, { projectID, infraID })}
        onDone={onDone}
      />
    ),
  };
}
