import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { newStudioPath, studioPath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { Act } from '../act.tsx';
import { DELETE_EXPERIMENT, RUN_EXPERIMENT } from './experiments-query.ts';

/** What can be done with an experiment of the list. */
export function ExperimentActs({
  project: projectID,
  experiment: { id: experimentID, name, infra },
  onDone,
}: {
  readonly project: string;
  readonly experiment: { readonly id: string; readonly name: string; readonly infra: string };
  onDone(): void;
}): ReactElement {
  return (
    <>
      <Act
        label="Run now"
        name={`Run now: ${name}`}
        question={`It hits what its manifest names in ${infra}, at once. It can be aborted at any time, which reverts it.`}
        run={() => ask(RUN_EXPERIMENT, { projectID, experimentID })}
        onDone={onDone}
      />
      <Link className="act" href={studioPath(projectID, experimentID)} aria-label={`Change ${name}`}>
        Change
      </Link>{' '}
      <Link className="act" href={newStudioPath(projectID, 'copy', experimentID)} aria-label={`Copy ${name}`}>
        Copy
      </Link>{' '}
      <Act
        label="Delete"
        name={`Delete ${name}`}
        question="The experiment goes with all of its runs. What is running is stopped and reverted."
        run={() => ask(DELETE_EXPERIMENT, { projectID, experimentID })}
        onDone={onDone}
      />
    </>
  );
}
