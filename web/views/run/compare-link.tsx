import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { comparePath } from '../../address/compare.ts';
import { watchedObject } from '../../models/run/watched.ts';
import { knownData } from '../../models/view-state/view-state.ts';
import { useAsk } from '../use-ask.ts';
import { RUNS_OF_EXPERIMENT, type RunChoice, type ShownRun } from './generated/run.ts';

/** Links to this run beside the previous one; nothing if there is none, or it cannot be read. */
export function CompareLink({
  project,
  run,
}: {
  readonly project: string;
  readonly run: ShownRun;
}): ReactElement | null {
  if (watchedObject(run.experimentRunID) !== undefined)
    return (
      <Link className="button" href={comparePath(project, { a: '', b: run.experimentRunID })}>
        Compare
      </Link>
    );
  return <WithRunBefore project={project} run={run} />;
}

function WithRunBefore({
  project,
  run,
}: {
  readonly project: string;
  readonly run: ShownRun;
}): ReactElement | null {
  const view = useAsk(RUNS_OF_EXPERIMENT, { projectID: project, experimentID: run.experimentID });
  const runs = knownData(view)?.listExperimentRun.experimentRuns ?? [];
  const before = previousRun(runs, run);
  // A run that no agent has begun has nothing to compare.
  if (before === undefined || run.experimentRunID === '') return null;
  return (
    <Link
      className="button"
      href={comparePath(project, { a: before.experimentRunID, b: run.experimentRunID })}
    >
      Compare with run {before.runSequence}
    </Link>
  );
}

/** The run of the same experiment before a run. Pure. */
export function previousRun(
  runs: readonly (RunChoice | null)[],
  { runSequence }: Pick<RunChoice, 'runSequence'>,
): RunChoice | undefined {
  return runs
    .filter((one) => one !== null)
    .filter((one) => one.experimentRunID !== '' && one.runSequence < runSequence)
    .toSorted((a, b) => b.runSequence - a.runSequence)[0];
}
