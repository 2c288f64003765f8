import { type ReactElement, useDeferredValue, useEffect } from 'react';
import { LIST_ADDRESS } from '../../address/list.ts';
import { agoWords, durationWords } from '../../models/words/duration.ts';
import { scoreWords } from '../../models/words/score.ts';
import { Live } from '../../parts/live/live.tsx';
import { Notice } from '../../parts/panel/panel.tsx';
import { Table } from '../../parts/table/table.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { changesRuns, PROJECT_CHANGES } from '../changes-query.ts';
import { ListFoot, SearchField } from '../list-parts.tsx';
import { PAGE_ROWS, pageOf } from '../pages.ts';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { useFollow } from '../use-follow.ts';
import { RunName } from './run-name.tsx';
import { type ListedRun, RUNS } from './runs-query.ts';

const HEADS = ['Run', 'State', 'Score', 'Took', 'Infrastructure', 'By', 'Begun'];

/** The runs of a project, the newest first. */
export function RunsView({ project }: { readonly project: string }): ReactElement {
  const { state, change } = useAddress(LIST_ADDRESS);
  const name = useDeferredValue(state.find);
  const page = pageOf(state.page);
  const variables = { projectID: project, page, limit: PAGE_ROWS, name };
  const view = useAsk(
    RUNS,
    variables,
    ({ listExperimentRun }) => listExperimentRun.totalNoOfExperimentRuns === 0,
  );
  const connection = useFollow(
    { document: RUNS, variables },
    { document: PROJECT_CHANGES, variables: { projectID: project } },
    changesRuns,
  );
  useEffect(() => {
    document.title = 'Runs · Turnsole';
  }, []);
  return (
    <>
      <h1>Runs</h1>
      <Live connection={connection} />
      <SearchField value={state.find} onChange={(find) => change({ find, page: undefined }, 'replace')} />
      <StateView
        view={view}
        what="the runs"
        empty={
          name === '' ? (
            <Notice
              title="Nothing has been run yet"
              text="Run an experiment; each of its runs appears here."
            />
          ) : (
            <Notice
              title={`No run has "${name}" in its name`}
              action={{ label: 'Show all', do: () => change({ find: '', page: undefined }, 'push') }}
            />
          )
        }
      >
        {({ listExperimentRun: { experimentRuns, totalNoOfExperimentRuns } }) => (
          <>
            <Table label="Runs" heads={HEADS}>
              {experimentRuns.map((run) =>
                run === null ? null : (
                  <Row key={`${run.experimentRunID} ${run.notifyID ?? ''}`} run={run} project={project} />
                ),
              )}
            </Table>
            <ListFoot
              page={page}
              total={totalNoOfExperimentRuns}
              onPage={(next) => change({ page: next === 0 ? undefined : next }, 'push')}
            />
          </>
        )}
      </StateView>
    </>
  );
}

function Row({ run, project }: { readonly run: ListedRun; readonly project: string }): ReactElement {
  const [begun, changed] = [Number(run.createdAt), Number(run.updatedAt)];
  return (
    <tr>
      <th scope="row">
        <RunName project={project} run={run} />
      </th>
      <td>
        <Verdict state={run.phase} />
      </td>
      <td>{scoreWords(run.phase, run.resiliencyScore)}</td>
      <td>{durationWords(Math.max(0, changed - begun))}</td>
      <td>
        <bdi>{run.infra.name}</bdi>
      </td>
      <td>
        <bdi>{run.createdBy?.username ?? ''}</bdi>
      </td>
      <td title={new Date(begun).toISOString()}>{agoWords(begun, Date.now())}</td>
    </tr>
  );
}
