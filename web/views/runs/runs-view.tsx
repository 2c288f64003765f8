import { type ReactElement, useDeferredValue } from 'react';
import { LIST_ADDRESS, type ListAddress } from '../../address/list.ts';
import { listPath } from '../../address/routes.ts';
import { knownData } from '../../models/view-state/view-state.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import { FilteredOut, ListTable } from '../list-parts.tsx';
import { PageHead } from '../page-head.tsx';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { RUNS_AND_EXPERIMENTS, useAskProject } from '../use-ask-project.ts';
import { RUN_COUNT, RUNS } from './generated/runs.ts';
import { experimentColumn, runColumns } from './run-columns.tsx';
import { commonRequest, isFiltered, RunFilters, UNFILTERED } from './run-filters.tsx';

/** The runs of a project, the newest first. */
export function RunsView({ project }: { readonly project: string }): ReactElement {
  const { state, change } = useAddress(LIST_ADDRESS);
  const view = useAskProject(
    RUNS,
    { projectID: project, request: requestOf(useDeferredValue(state)) },
    RUNS_AND_EXPERIMENTS,
    ({ listExperimentRun }) => listExperimentRun.totalNoOfExperimentRuns === 0,
  );
  return (
    <>
      <PageHead title="Runs" connection={view.connection} />
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
          <ListTable
            name="runs"
            label="Runs"
            columns={[...runColumns(project), experimentColumn(project)]}
            rows={experimentRuns}
            keyOf={(run) => `${run.experimentRunID} ${run.notifyID ?? ''}`}
            total={totalNoOfExperimentRuns}
          />
        )}
      </StateView>
    </>
  );
}

function requestOf(address: ListAddress) {
  const { phase, type } = address;
  const { filter, ...request } = commonRequest(address, 'run');
  const own = {
    ...(phase !== '' && { experimentStatus: phase }),
    ...(type !== '' && { experimentType: type }),
  };
  return { ...request, filter: { ...filter, ...own } };
}

function Hidden({ project, onClear }: { readonly project: string; onClear(): void }): ReactElement {
  const all = useAsk(RUN_COUNT, { projectID: project });
  const hidden = knownData(all)?.listExperimentRun.totalNoOfExperimentRuns;
  return <FilteredOut what="run" hidden={hidden} onClear={onClear} />;
}
