import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { runPath } from '../../address/routes.ts';
import type { ListedRun } from './generated/runs.ts';

/** A run's experiment and number as a link, by the ID of its start request until its agent reports it. */
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
  const id = run.experimentRunID || (run.notifyID ?? '');
  return id === '' ? words : <Link href={runPath(project, id)}>{words}</Link>;
}
