import type { ReactElement, ReactNode } from 'react';
import type { ListAddress } from '../../address/list.ts';
import { runOfOtherRevision } from '../../models/experiment/revisions.ts';
import { Button } from '../../parts/button/button.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { ListFoot, orderOf } from '../list-parts.tsx';
import { PAGE_ROWS, pageOf } from '../pages.ts';
import { type ListedRun, RUNS } from '../runs/generated/runs.ts';
import { runColumns } from '../runs/run-columns.tsx';
import { StateView } from '../state-view.tsx';
import { RUNS_AND_EXPERIMENTS, useAskProject } from '../use-ask-project.ts';

/** The runs of an experiment, page by page. */
export function ExperimentRuns({
  project,
  id,
  address: { page, order },
  change,
  onCompare,
  empty,
}: {
  readonly project: string;
  readonly id: string;
  readonly address: Pick<ListAddress, 'page' | 'order'>;
  change(changes: Partial<Pick<ListAddress, 'page' | 'order'>>, how: 'push'): void;
  /** Shows the changes of the experiment between two runs. */
  onCompare(before: string, after: string): void;
  readonly empty: ReactNode;
}): ReactElement {
  const request = {
    experimentIDs: [id],
    pagination: { page: pageOf(page), limit: PAGE_ROWS },
    // Numbers of runs rise with time.
    sort: { field: 'TIME' as const, ascending: order !== undefined && !order.isDown },
  };
  const view = useAskProject(
    RUNS,
    { projectID: project, request },
    RUNS_AND_EXPERIMENTS,
    ({ listExperimentRun }) => listExperimentRun.totalNoOfExperimentRuns === 0,
  );
  return (
    <section aria-label="Its runs">
      <StateView view={view} what="the runs of the experiment" empty={empty}>
        {({ listExperimentRun: { experimentRuns, totalNoOfExperimentRuns } }) => (
          <>
            <h2>Runs</h2>
            <DataTable
              name="runs-of-experiment"
              label="Runs"
              columns={[...runColumns(project), revisionColumn(experimentRuns, onCompare)]}
              rows={experimentRuns.filter((run) => run !== null)}
              keyOf={(run) => `${run.experimentRunID} ${run.notifyID ?? ''}`}
              {...orderOf(order, change)}
            />
            <ListFoot page={page} total={totalNoOfExperimentRuns} change={change} />
          </>
        )}
      </StateView>
    </section>
  );
}

/** Marks runs before which the experiment was changed, and shows the changes. */
function revisionColumn(
  runs: readonly (ListedRun | null)[],
  onCompare: (before: string, after: string) => void,
): Column<ListedRun> {
  const all = runs.filter((run) => run !== null);
  const idOf = ({ experimentRunID, notifyID }: ListedRun): string => experimentRunID || (notifyID ?? '');
  return {
    ...{ id: 'revision', name: 'Experiment' },
    cell: (run) => {
      const before = runOfOtherRevision(all, run);
      return before === undefined ? null : (
        <Button
          look="link"
          label={`changed before run ${run.runSequence}`}
          onClick={() => onCompare(idOf(before), idOf(run))}
        />
      );
    },
  };
}
