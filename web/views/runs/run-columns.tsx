import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { comparePath } from '../../address/compare.ts';
import { experimentPath } from '../../address/routes.ts';
import { durationWords } from '../../models/words/duration.ts';
import { scoreWords } from '../../models/words/score.ts';
import { isUnderWay } from '../../models/words/verdict.ts';
import { whenColumn } from '../../parts/table/column-kinds.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { useNow } from '../../parts/time/use-now.ts';
import { StateNow } from '../../parts/verdict/state-now.tsx';
import type { ListedRun } from './generated/runs.ts';
import { RunName } from './run-name.tsx';

/** Columns of a run for lists. */
export function runColumns(project: string): readonly Column<ListedRun>[] {
  return [
    { id: 'run', name: 'Run', order: 'server', cell: (run) => <RunName project={project} run={run} /> },
    {
      id: 'state',
      name: 'State',
      cell: ({ outcome }) => (
        <StateNow now={outcome} title={outcome.survival ?? outcome.reason ?? undefined} />
      ),
    },
    {
      ...{ id: 'score', name: 'Score', isNumber: true },
      cell: ({ outcome }) => scoreWords(outcome.score),
    },
    {
      ...{ id: 'took', name: 'Took', isNumber: true },
      cell: (run) => <Took run={run} />,
    },
    { id: 'infra', name: 'Infrastructure', cell: ({ infra }) => <bdi>{infra.name}</bdi> },
    { id: 'by', name: 'By', cell: ({ createdBy }) => <bdi>{createdBy?.username ?? ''}</bdi> },
    { ...whenColumn('begun', 'Begun', ({ createdAt }) => createdAt), order: 'server' },
    {
      ...{ id: 'compare', name: 'Compare' },
      cell: ({ experimentRunID, runSequence }) =>
        experimentRunID === '' || runSequence < 2 ? null : (
          <Link href={comparePath(project, { a: '', b: experimentRunID })}>with the run before</Link>
        ),
    },
  ];
}

/** How long a run took, or has taken so far. */
function Took({ run: { outcome, createdAt, updatedAt } }: { readonly run: ListedRun }): ReactElement {
  const goesOn = isUnderWay(outcome.state);
  const nowMs = useNow(goesOn);
  return <>{durationWords(Math.max(0, (goesOn ? nowMs : Number(updatedAt)) - Number(createdAt)))}</>;
}

/** Links a run to its experiment. */
export function experimentColumn(project: string): Column<ListedRun> {
  return {
    ...{ id: 'experiment', name: 'Experiment' },
    cell: ({ experimentID, experimentName }) => (
      <Link href={experimentPath(project, experimentID)}>
        <bdi>{experimentName}</bdi>
      </Link>
    ),
  };
}
