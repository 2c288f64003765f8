import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { newStudioPath, studioPath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { Act } from '../act.tsx';
import { DELETE_EXPERIMENT, RUN_EXPERIMENT } from './experiments-query.ts';

/** An experiment that something is done with. */
interface Acted {
  readonly project: string;
  readonly experiment: {
    readonly id: string;
    readonly name: string;
    readonly infra: string;
    /** Whether it makes its runs by itself, once that was begun. */
    readonly isScheduled: boolean;
  };
  readonly look?: 'link' | 'button';
  onDone(): void;
}

/** What can be done with an experiment. */
export function ExperimentActs({
  onDeleted,
  ...acted
}: Acted & {
  onDeleted(): void;
}): ReactElement {
  const { project: projectID, experiment, look = 'link' } = acted;
  const { id: experimentID, name } = experiment;
  const className = look === 'link' ? 'act' : 'button';
  return (
    <>
      <RunExperiment {...acted} />
      <Link className={className} href={studioPath(projectID, experimentID)} aria-label={`Change ${name}`}>
        Change
      </Link>{' '}
      <Link
        className={className}
        href={newStudioPath(projectID, 'copy', experimentID)}
        aria-label={`Copy ${name}`}
      >
        Copy
      </Link>{' '}
      <Act
        label="Delete"
        name={`Delete ${name}`}
        question="The experiment goes with all of its runs. What is running is stopped and reverted."
        look={look}
        run={() => ask(DELETE_EXPERIMENT, { projectID, experimentID })}
        onDone={onDeleted}
      />
    </>
  );
}

/** Runs an experiment after a question, or begins its schedule. */
export function RunExperiment({
  project: projectID,
  experiment: { id: experimentID, name, infra, isScheduled },
  look = 'link',
  onDone,
}: Acted): ReactElement {
  const label = isScheduled ? 'Begin the schedule' : 'Run now';
  return (
    <Act
      label={label}
      name={`${label}: ${name}`}
      question={
        isScheduled
          ? `From now on it hits what its manifest names in ${infra} whenever its schedule says so. It can be suspended at any time.`
          : `It hits what its manifest names in ${infra}, at once. It can be aborted at any time, which reverts it.`
      }
      look={look}
      run={() => ask(RUN_EXPERIMENT, { projectID, experimentID })}
      onDone={onDone}
    />
  );
}
