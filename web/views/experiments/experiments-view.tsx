import { type ReactElement, useDeferredValue } from 'react';
import { Link } from 'wouter';
import { LIST_ADDRESS, type ListAddress } from '../../address/list.ts';
import { experimentPath, listPath, runPath } from '../../address/routes.ts';
import { knownData } from '../../models/view-state/view-state.ts';
import { scheduleWords } from '../../models/words/schedule.ts';
import { scoreWords } from '../../models/words/score.ts';
import { isUnderWay, stateWords } from '../../models/words/verdict.ts';
import { lazyView } from '../../parts/lazy-view/lazy-view.tsx';
import { actsColumn, whenColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { StateNow } from '../../parts/verdict/state-now.tsx';
import { FilteredOut, ListTable } from '../list-parts.tsx';
import { PageHead } from '../page-head.tsx';
import { commonRequest, isFiltered, RunFilters, UNFILTERED } from '../runs/run-filters.tsx';
import { RunMark } from '../runs/run-mark.tsx';
import { StateView } from '../state-view.tsx';
import { useAddress } from '../use-address.ts';
import { useAsk } from '../use-ask.ts';
import { RUNS_AND_EXPERIMENTS, useAskProject } from '../use-ask-project.ts';
import { usePermissions } from '../use-permissions.ts';
import { ExperimentActions } from './experiment-actions.tsx';
import { EXPERIMENT_COUNT, EXPERIMENTS, type ListedExperiment } from './generated/experiments.ts';

/** Only a project without experiments needs it, and what reads manifests. */
const NoExperiments = lazyView(
  'Loading what to do',
  async () => (await import('./no-experiments.tsx')).NoExperiments,
);

/** The experiments of a project with the results of their last runs. */
export function ExperimentsView({ project }: { readonly project: string }): ReactElement {
  const { state, change } = useAddress(LIST_ADDRESS);
  const view = useAskProject(
    EXPERIMENTS,
    { projectID: project, request: requestOf(useDeferredValue(state)) },
    RUNS_AND_EXPERIMENTS,
    ({ listExperiment }) => listExperiment.totalNoOfExperiments === 0,
  );
  const may = usePermissions(project);
  return (
    <>
      <PageHead title="Experiments" connection={view.connection}>
        {may('saveChaosExperiment') ? (
          <Link className="button" href={listPath(project, 'studio')}>
            Create an experiment
          </Link>
        ) : null}
      </PageHead>
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
          <ListTable
            name="experiments"
            label="Experiments"
            columns={[...columnsOf(project), may('runChaosExperiment') && actsOf(project, view.retry)]}
            rows={listExperiment.experiments}
            keyOf={({ experimentID }) => experimentID}
            total={listExperiment.totalNoOfExperiments}
          />
        )}
      </StateView>
    </>
  );
}

function requestOf(address: ListAddress) {
  const { phase, type } = address;
  const { filter, ...request } = commonRequest(address, 'name');
  const own = { ...(phase !== '' && { status: phase }), ...(type !== '' && { scheduleType: type }) };
  return { ...request, filter: { ...filter, ...own } };
}

function Hidden({ project, onClear }: { readonly project: string; onClear(): void }): ReactElement {
  const all = useAsk(EXPERIMENT_COUNT, { projectID: project });
  const hidden = knownData(all)?.listExperiment.totalNoOfExperiments;
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
      ...{ id: 'state', name: 'State' },
      cell: (experiment) => <LastState experiment={experiment} project={project} />,
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
  return actsColumn((experiment) => (
    <ExperimentActions project={project} experiment={experiment} onDone={onDone} onDeleted={onDone} />
  ));
}

function runsOf({ recentExperimentRunDetails }: ListedExperiment) {
  return (recentExperimentRunDetails ?? []).filter((run) => run !== null).toReversed();
}

/** The state of the last run, as lists of runs have it: of one that is under way it is what happens now. */
function LastState({
  experiment,
  project,
}: {
  readonly experiment: ListedExperiment;
  readonly project: string;
}): ReactElement | null {
  const last = runsOf(experiment).at(-1);
  if (last === undefined) return null;
  const { outcome, experimentRunID } = last;
  const state = <StateNow now={outcome} />;
  return experimentRunID === '' || !isUnderWay(outcome.state) ? (
    state
  ) : (
    <Link href={runPath(project, experimentRunID)}>{state}</Link>
  );
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
        <RunMark
          key={`${run.runSequence} ${run.experimentRunID}`}
          project={project}
          run={run}
          words={markWords(run)}
        />
      ))}
    </span>
  );
}

function markWords({ runSequence, outcome: { word, score } }: ReturnType<typeof runsOf>[number]): string {
  return `Run ${runSequence}: ${stateWords(word).word}, score ${scoreWords(score)}`;
}
