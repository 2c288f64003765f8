import { type ReactElement, useDeferredValue } from 'react';
import { LIST_ADDRESS, type ListAddress } from '../../address/list.ts';
import { listPath } from '../../address/routes.ts';
import { Live } from '../../parts/live/live.tsx';
import { Notice } from '../../parts/panel/panel.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { FilteredOut, ListFoot, orderOf } from '../list-parts.tsx';
import { PAGE_ROWS, pageOf } from '../pages.ts';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { RUNS_AND_EXPERIMENTS, useAskProject } from '../use-ask-project.ts';
import { useTitle } from '../use-title.ts';
import { experimentColumn, runColumns } from './run-columns.tsx';
import { commonFilter, isFiltered, RunFilters, UNFILTERED } from './run-filters.tsx';
import { RUN_COUNT, RUNS } from './runs-query.ts';

/** The runs of a project, the newest first. */
export function RunsView({ project }: { readonly project: string }): ReactElement {
  const { state, change } = useAddress(LIST_ADDRESS);
  const view = useAskProject(
    RUNS,
    { projectID: project, request: requestOf(useDeferredValue(state)) },
    RUNS_AND_EXPERIMENTS,
    ({ listExperimentRun }) => listExperimentRun.totalNoOfExperimentRuns === 0,
  );
  useTitle('Runs');
  return (
    <>
      <div className="page-head">
        <h1>Runs</h1>
        <Live connection={view.connection} />
      </div>
      <RunFilters project={project} address={state} change={change} />
      <StateView
        view={view}
        what="the runs"
        empty={
          isFiltered(state) ? (
            <Hidden project={project} onClear={() => change(UNFILTERED, 'push')} />
          ) : (
            <Notice
              title="Nothing has been run yet"
              text="Run an experiment; each of its runs appears here."
              link={{ label: 'To the experiments', path: listPath(project, 'experiments') }}
            />
          )
        }
      >
        {({ listExperimentRun: { experimentRuns, totalNoOfExperimentRuns } }) => (
          <>
            <DataTable
              name="runs"
              label="Runs"
              columns={[...runColumns(project), experimentColumn(project)]}
              rows={experimentRuns.filter((run) => run !== null)}
              keyOf={(run) => `${run.experimentRunID} ${run.notifyID ?? ''}`}
              {...orderOf(state.order, change)}
            />
            <ListFoot
              page={pageOf(state.page)}
              total={totalNoOfExperimentRuns}
              onPage={(next) => change({ page: next === 0 ? undefined : next }, 'push')}
            />
          </>
        )}
      </StateView>
    </>
  );
}

function requestOf(address: ListAddress) {
  const { page, order, phase, type } = address;
  return {
    pagination: { page: pageOf(page), limit: PAGE_ROWS },
    sort: {
      field: order?.by === 'run' ? ('NAME' as const) : ('TIME' as const),
      ascending: order !== undefined && !order.isDown,
    },
    filter: {
      ...commonFilter(address),
      ...(phase !== '' && { experimentStatus: phase }),
      ...(type !== '' && { experimentType: type }),
    },
  };
}

function Hidden({ project, onClear }: { readonly project: string; onClear(): void }): ReactElement {
  const all = useAsk(RUN_COUNT, { projectID: project });
  const hidden = all.state === 'shown' ? all.data.listExperimentRun.totalNoOfExperimentRuns : undefined;
  return <FilteredOut what="run" hidden={hidden} onClear={onClear} />;
}
