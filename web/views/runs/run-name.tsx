import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { runPath } from '../../address/routes.ts';
import type { ListedRun } from './runs-query.ts';

/** A run's experiment and number; a link, except while nobody knows the run's ID. */
export function RunName({
  project,
  run,
}: {
  readonly project: string;
  readonly run: ListedRun;
}): ReactElement {
  const words = (
    <>
      <bdi>{run.experimentName}</bdi> · {run.runSequence}
    </>
  );
  return run.experimentRunID === '' ? (
    words
  ) : (
    <Link href={runPath(project, run.experimentRunID)}>{words}</Link>
  );
}
