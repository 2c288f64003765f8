import { type ReactElement, useDeferredValue, useEffect, useRef } from 'react';
import { LIST_ADDRESS } from '../../address/list.ts';
import { watch } from '../../api/live.ts';
import { agoWords } from '../../models/words/duration.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import { Table } from '../../parts/table/table.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { ListFoot, SearchField } from '../list-parts.tsx';
import { PAGE_ROWS, pageOf } from '../pages.ts';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { Connect } from './connect.tsx';
import { INFRA_EVENTS } from './connect-query.ts';
import { INFRASTRUCTURES, type ListedInfra } from './infrastructures-query.ts';

const HEADS = ['Infrastructure', 'State', 'Reaches', 'Environment', 'Runs', 'Agent', 'Changed'];

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
  useEffect(() => {
    document.title = 'Infrastructures · Turnsole';
  }, []);
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
            <Notice
              title={`No infrastructure has "${name}" in its name`}
              action={{ label: 'Show all', do: () => change({ find: '', page: undefined }, 'push') }}
            />
          )
        }
      >
        {({ listInfras: { infras, totalNoOfInfras } }) => (
          <>
            <Table label="Infrastructures" heads={HEADS}>
              {infras.map((infra) => (infra === null ? null : <Row key={infra.infraID} infra={infra} />))}
            </Table>
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

function Row({ infra }: { readonly infra: ListedInfra }): ReactElement {
  const changed = Number(infra.updatedAt);
  return (
    <tr>
      <th scope="row">
        <bdi>{infra.name}</bdi>
      </th>
      <td>
        <Verdict state={infra.isActive ? 'Connected' : infra.isInfraConfirmed ? 'Disconnected' : 'Pending'} />
      </td>
      <td>{infra.infraScope === 'cluster' ? 'the whole cluster' : 'its namespace'}</td>
      <td>
        <bdi>{infra.environmentID}</bdi>
      </td>
      <td>{infra.noOfExperimentRuns ?? 0}</td>
      <td>{infra.version}</td>
      <td title={new Date(changed).toISOString()}>{agoWords(changed, Date.now())}</td>
    </tr>
  );
}
