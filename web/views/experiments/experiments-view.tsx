import { type ReactElement, useDeferredValue } from 'react';
import { Link } from 'wouter';
import { LIST_ADDRESS, type ListAddress } from '../../address/list.ts';
import { experimentPath, listPath, runPath } from '../../address/routes.ts';
import { scheduleWords } from '../../models/words/schedule.ts';
import { scoreWords } from '../../models/words/score.ts';
import { stateWords } from '../../models/words/verdict.ts';
import { Live } from '../../parts/live/live.tsx';
import { actsColumn, whenColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { FilteredOut, ListFoot, orderOf } from '../list-parts.tsx';
import { PAGE_ROWS, pageOf } from '../pages.ts';
import { commonFilter, isFiltered, RunFilters, UNFILTERED } from '../runs/run-filters.tsx';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { RUNS_AND_EXPERIMENTS, useAskProject } from '../use-ask-project.ts';
import { useMay } from '../use-may.ts';
import { useTitle } from '../use-title.ts';
import { ExperimentActs } from './experiment-acts.tsx';
import { EXPERIMENT_COUNT, EXPERIMENTS, type ListedExperiment } from './experiments-query.ts';
import { NoExperiments } from './no-experiments.tsx';

/** The experiments of a project with the results of their last runs. */
export function ExperimentsView({ project }: { readonly project: string }): ReactElement {
  const { state, change } = useAddress(LIST_ADDRESS);
  const view = useAskProject(
    EXPERIMENTS,
    { projectID: project, request: requestOf(useDeferredValue(state)) },
    RUNS_AND_EXPERIMENTS,
    ({ listExperiment }) => listExperiment.totalNoOfExperiments === 0,
  );
  const may = useMay(project);
  useTitle('Experiments');
  return (
    <>
      <div className="page-head">
        <h1>Experiments</h1>
        <Live connection={view.connection} />
        {may('saveChaosExperiment') ? (
          <Link className="button" href={listPath(project, 'studio')}>
            Make an experiment
          </Link>
        ) : null}
      </div>
      <RunFilters project={project} address={state} change={change} />
      <StateView
        view={view}
        what="the experiments"
        empty={
          isFiltered(state) ? (
            <Hidden project={project} onClear={() => change(UNFILTERED, 'push')} />
          ) : (
            <NoExperiments project={project} />
          )
        }
      >
        {({ listExperiment }) => (
          <>
            <DataTable
              name="experiments"
              label="Experiments"
              columns={[...columnsOf(project), may('runChaosExperiment') && actsOf(project, view.retry)]}
              rows={listExperiment.experiments.filter((one) => one !== null)}
              keyOf={({ experimentID }) => experimentID}
              {...orderOf(state.order, change)}
            />
            <ListFoot
              page={pageOf(state.page)}
              total={listExperiment.totalNoOfExperiments}
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
      field: order?.by === 'name' ? ('NAME' as const) : ('TIME' as const),
      ascending: order !== undefined && !order.isDown,
    },
    filter: {
      ...commonFilter(address),
      ...(phase !== '' && { status: phase }),
      ...(type !== '' && { scheduleType: type }),
    },
  };
}

function Hidden({ project, onClear }: { readonly project: string; onClear(): void }): ReactElement {
  const all = useAsk(EXPERIMENT_COUNT, { projectID: project });
  const hidden = all.state === 'shown' ? all.data.listExperiment.totalNoOfExperiments : undefined;
  return <FilteredOut what="experiment" hidden={hidden} onClear={onClear} />;
}

function columnsOf(project: string): readonly Column<ListedExperiment>[] {
  return [
    {
      ...{ id: 'name', name: 'Experiment', order: 'server' },
      cell: ({ experimentID, name }) => (
        <Link href={experimentPath(project, experimentID)}>
          <bdi>{name}</bdi>
        </Link>
      ),
    },
    {
      ...{ id: 'runs', name: 'Last runs, newest right' },
      cell: (experiment) => <Strip experiment={experiment} project={project} />,
    },
    { id: 'schedule', name: 'Schedule', cell: ({ schedule }) => scheduleWords(schedule) },
    { id: 'infra', name: 'Infrastructure', cell: ({ infra }) => <bdi>{infra?.name ?? ''}</bdi> },
    { ...whenColumn('changed', 'Changed', ({ updatedAt }) => updatedAt), order: 'server' },
  ];
}

function actsOf(project: string, onDone: () => void): Column<ListedExperiment> {
  return actsColumn(({ experimentID, name, infra, schedule }) => (
    <ExperimentActs
      project={project}
      experiment={{
        ...{ id: experimentID, name, infra: infra?.name ?? '' },
        ...{ isScheduled: schedule !== null, isBegun: schedule?.isBegun === true },
      }}
      onDone={onDone}
      onDeleted={onDone}
    />
  ));
}

function runsOf({ recentExperimentRunDetails }: ListedExperiment) {
  return (recentExperimentRunDetails ?? []).filter((run) => run !== null).toReversed();
}

function Strip({
  experiment,
  project,
}: {
  readonly experiment: ListedExperiment;
  readonly project: string;
}): ReactElement {
  const runs = runsOf(experiment);
  if (runs.length === 0) return <span className="quiet">never run</span>;
  return (
    <span className="strip">
      {runs.map((run) => (
        <RunMark key={`${run.runSequence} ${run.experimentRunID}`} project={project} run={run} />
      ))}
    </span>
  );
}

function RunMark({
  run: { runSequence, experimentRunID, phase, resiliencyScore },
  project,
}: {
  readonly run: ReturnType<typeof runsOf>[number];
  readonly project: string;
}): ReactElement {
  const words = `Run ${runSequence}: ${stateWords(phase).word}, score ${scoreWords(phase, resiliencyScore)}`;
  const mark = <Verdict state={phase} isBrief />;
  if (experimentRunID === '') return <span title={words}>{mark}</span>;
  return (
    <Link href={runPath(project, experimentRunID)} aria-label={words} title={words}>
      {mark}
    </Link>
  );
}
