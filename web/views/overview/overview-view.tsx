import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { listPath } from '../../address/routes.ts';
import { Notice } from '../../parts/panel/panel.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { LocalTable } from '../../parts/table/local-table.tsx';
import { PageHead } from '../page-head.tsx';
import type { ListedRun } from '../runs/generated/runs.ts';
import { runColumns } from '../runs/run-columns.tsx';
import { StateView } from '../state-view.tsx';
import { RUNS_AND_EXPERIMENTS, useAskProject } from '../use-ask-project.ts';
import { OVERVIEW, type OverviewQuery } from './generated/overview.ts';
import { NextScheduled } from './next-scheduled.tsx';
import { InForce, Infras, Strips } from './overview-parts.tsx';
import './overview.css';

/** Ranges of scores by their lower bound, in the form of the API. */
const RANGES = [
  [80, 'of 80 and more'],
  [40, 'of 40 to 79'],
  [0, 'below 40'],
] as const;

/** The overview of a project: counts, scores and the latest runs. */
export function OverviewView({ project }: { readonly project: string }): ReactElement {
  const view = useAskProject(OVERVIEW, { projectID: project }, RUNS_AND_EXPERIMENTS);
  return (
    <>
      <PageHead title="Overview" connection={view.connection}>
        <Link className="button" href={listPath(project, 'trends')}>
          Did we get better?
        </Link>
      </PageHead>
      <StateView view={view} what="the overview">
        {(data) => (
          <>
            <InForce project={project} runs={data.running.experimentRuns} />
            <Counts project={project} data={data} />
            <Strips project={project} experiments={data.listExperiment.experiments} />
            <NextScheduled project={project} experiments={data.scheduled.experiments} />
            <Infras project={project} infras={data.listInfras.infras} />
            <Latest project={project} runs={data.listExperimentRun.experimentRuns} />
          </>
        )}
      </StateView>
    </>
  );
}

function Counts({ project, data }: { readonly project: string; readonly data: OverviewQuery }): ReactElement {
  const { getExperimentStats: experiments, getChaosHubStats: hubs } = data;
  const infras = { all: data.listInfras.totalNoOfInfras, connected: data.connected.totalNoOfInfras };
  const scored = (begin: number): number =>
    experiments.totalExpCategorizedByResiliencyScore.find((one) => one?.id === begin)?.count ?? 0;
  return (
    <dl className="counts">
      <Count href={listPath(project, 'experiments')} name="Experiments" count={experiments.totalExperiments}>
        {experiments.totalExperiments === 0
          ? ['none yet']
          : [
              ...RANGES.map(([begin, words]) => `${scored(begin)} with a score ${words}`),
              `${experiments.totalExperiments - RANGES.reduce((sum, [begin]) => sum + scored(begin), 0)} without a score`,
            ]}
      </Count>
      <Count href={listPath(project, 'infrastructures')} name="Infrastructures" count={infras.all}>
        {infras.all === 0
          ? ['none yet']
          : [`${infras.connected} connected`, `${infras.all - infras.connected} not connected`]}
      </Count>
      <Count href={listPath(project, 'hubs')} name="Hubs" count={hubs.totalChaosHubs}>
        {['with faults and experiments to begin from']}
      </Count>
    </dl>
  );
}

function Count({
  href,
  name,
  count,
  children,
}: {
  readonly href: string;
  readonly name: string;
  readonly count: number;
  /** Parts of the count, a line each. */
  readonly children: readonly string[];
}): ReactElement {
  return (
    <div>
      <dt>
        <Link href={href}>{name}</Link>
      </dt>
      <dd className="count">{count}</dd>
      {children.map((line) => (
        <dd key={line}>{line}</dd>
      ))}
    </div>
  );
}

function Latest({
  project,
  runs,
}: {
  readonly project: string;
  readonly runs: readonly (ListedRun | null)[];
}): ReactElement {
  if (runs.length === 0)
    return (
      <Notice
        title="Nothing was run yet"
        text="Connect a cluster, run the sample or an experiment of your own; the latest runs appear here."
        link={{ label: 'To the experiments', path: listPath(project, 'experiments') }}
      />
    );
  return (
    <section aria-label="Latest runs">
      <h2>Latest runs</h2>
      <LocalTable
        name="latest-runs"
        label="Latest runs"
        columns={latestColumns(project)}
        rows={runs.filter((run) => run !== null)}
        keyOf={(run) => run.notifyID ?? run.experimentRunID}
      />
    </section>
  );
}

/** Columns of the latest runs: those of the list of runs, without actions. */
function latestColumns(project: string): readonly Column<ListedRun>[] {
  const left = ['run', 'state', 'score', 'infra', 'begun'];
  return runColumns(project).flatMap(({ order: _, ...column }) => (left.includes(column.id) ? [column] : []));
}
