import type { ReactElement, ReactNode } from 'react';
import type { ListAddress } from '../../address/list.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { changesRuns, PROJECT_CHANGES } from '../changes-query.ts';
import { ListFoot, orderOf } from '../list-parts.tsx';
import { PAGE_ROWS, pageOf } from '../pages.ts';
import { runColumns } from '../runs/run-columns.tsx';
import { RUNS } from '../runs/runs-query.ts';
import { StateView } from '../state-view.tsx';
import { useAsk } from '../use-ask.ts';
import { useFollow } from '../use-follow.ts';

/** The runs of an experiment, page by page. */
export function ExperimentRuns({
  project,
  id,
  address: { page, order },
  change,
  empty,
}: {
  readonly project: string;
  readonly id: string;
  readonly address: Pick<ListAddress, 'page' | 'order'>;
  change(changes: Partial<Pick<ListAddress, 'page' | 'order'>>, how: 'push'): void;
  readonly empty: ReactNode;
}): ReactElement {
  const request = {
    experimentIDs: [id],
    pagination: { page: pageOf(page), limit: PAGE_ROWS },
    // Numbers of runs rise with time.
    sort: { field: 'TIME' as const, ascending: order !== undefined && !order.isDown },
  };
  const variables = { projectID: project, request };
  const view = useAsk(RUNS, variables, (data) => data.listExperimentRun.totalNoOfExperimentRuns === 0);
  useFollow(
    { document: RUNS, variables },
    { document: PROJECT_CHANGES, variables: { projectID: project } },
    changesRuns,
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
              columns={runColumns(project)}
              rows={experimentRuns.filter((run) => run !== null)}
              keyOf={(run) => `${run.experimentRunID} ${run.notifyID ?? ''}`}
              {...orderOf(order, change)}
            />
            <ListFoot
              page={pageOf(page)}
              total={totalNoOfExperimentRuns}
              onPage={(next) => change({ page: next === 0 ? undefined : next }, 'push')}
            />
          </>
        )}
      </StateView>
    </section>
  );
}
