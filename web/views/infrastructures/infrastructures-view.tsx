import { type ReactElement, useDeferredValue, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { LIST_ADDRESS } from '../../address/list.ts';
import { listPath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { watch } from '../../api/live.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { When } from '../../parts/when/when.tsx';
import { Act } from '../act.tsx';
import { FilteredOut, ListFoot, orderOf, SearchField } from '../list-parts.tsx';
import { PAGE_ROWS, pageOf } from '../pages.ts';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { useTitle } from '../use-title.ts';
import { Connect } from './connect.tsx';
import { INFRA_EVENTS } from './connect-query.ts';
import { DISCONNECT, INFRASTRUCTURES, type ListedInfra } from './infrastructures-query.ts';

/** The clusters that a project works with. */
export function InfrastructuresView({ project }: { readonly project: string }): ReactElement {
  const { state, change } = useAddress(LIST_ADDRESS);
  const name = useDeferredValue(state.find);
  const page = pageOf(state.page);
  const view = useAsk(
    INFRASTRUCTURES,
    { projectID: project, page, limit: PAGE_ROWS, name },
    ({ listInfras }) => listInfras.totalNoOfInfras === 0,
  );
  const { retry } = view;
  const again = useRef(retry);
  again.current = retry;
  useEffect(
    () =>
      watch(
        INFRA_EVENTS,
        { projectID: project },
        {
          onData: () => again.current(),
          // After a break anything may have happened.
          onConnection: ({ state: now }) => (now === 'catching-up' ? again.current() : undefined),
          // The list itself says what is refused.
          onProblem: () => undefined,
        },
      ),
    [project],
  );
  useTitle('Infrastructures');
  return (
    <>
      <h1>Infrastructures</h1>
      <Connect project={project} onDone={view.retry} />
      <SearchField value={state.find} onChange={(find) => change({ find, page: undefined }, 'replace')} />
      <StateView
        view={view}
        what="the infrastructures"
        empty={
          name === '' ? (
            <Notice
              title="No cluster is connected"
              text="Register one above and apply its manifest there; its state appears here."
            />
          ) : (
            <FilteredOut
              what="infrastructure"
              hidden={undefined}
              onClear={() => change({ find: '', page: undefined }, 'push')}
            />
          )
        }
      >
        {({ listInfras: { infras, totalNoOfInfras } }) => (
          <>
            <DataTable
              name="infrastructures"
              label="Infrastructures"
              columns={columnsOf(project, view.retry)}
              rows={infras.filter((infra) => infra !== null)}
              keyOf={({ infraID }) => infraID}
              {...orderOf(state.order, change)}
            />
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

function columnsOf(project: string, onDone: () => void): readonly Column<ListedInfra>[] {
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
    { id: 'agent', name: 'Agent', order: ({ version }) => version, cell: ({ version }) => version },
    {
      id: 'changed',
      name: 'Changed',
      order: ({ updatedAt }) => Number(updatedAt),
      cell: ({ updatedAt }) => <When ms={Number(updatedAt)} />,
    },
    {
      id: 'acts',
      name: 'Actions',
      cell: ({ infraID, name }) => (
        <Act
          label="Disconnect"
          name={`Disconnect ${name}`}
          question="Its agent is told to leave the cluster. Its experiments can no longer be run; their runs stay."
          run={() => ask(DISCONNECT, { projectID: project, infraID })}
          onDone={onDone}
        />
      ),
    },
  ];
}
