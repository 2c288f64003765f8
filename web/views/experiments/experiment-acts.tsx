import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { newStudioPath, studioPath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { plainText } from '../../models/words/plain.ts';
import { later } from '../../parts/later/later.tsx';
import { Act } from '../act.tsx';
import { useMay } from '../use-may.ts';
import { DELETE_EXPERIMENT, RUN_EXPERIMENT } from './experiments-query.ts';

// Loaded on demand: plans are only needed before a run.
const PlanOfRun = later('Loading the plan', async () => (await import('./plan-of-run.tsx')).PlanOfRun);

/** The experiment of an action. */
interface Acted {
  readonly project: string;
  readonly experiment: {
    readonly id: string;
    readonly name: string;
    readonly infra: string;
    /** Whether it has a schedule. */
    readonly isScheduled: boolean;
    /** Whether the schedule has been started. */
    readonly isBegun: boolean;
  };
  readonly look?: 'link' | 'button';
  onDone(): void;
}

/** The reader's actions on an experiment. */
export function ExperimentActs({
  onDeleted,
  ...acted
}: Acted & {
  onDeleted(): void;
}): ReactElement {
  const { project: projectID, experiment, look = 'link' } = acted;
  const { id: experimentID } = experiment;
  const name = plainText(experiment.name);
  const className = look === 'link' ? 'act' : 'button';
  const may = useMay(projectID);
  return (
    <>
      <RunExperiment {...acted} />
      {may('updateChaosExperiment') ? (
        <Link className={className} href={studioPath(projectID, experimentID)} aria-label={`Change ${name}`}>
          Change
        </Link>
      ) : null}{' '}
      {may('saveChaosExperiment') ? (
        <Link
          className={className}
          href={newStudioPath(projectID, 'copy', experimentID)}
          aria-label={`Copy ${name}`}
        >
          Copy
        </Link>
      ) : null}{' '}
      {may('deleteChaosExperiment') ? (
        <Act
          label="Delete"
          name={`Delete ${name}`}
          question="The experiment is deleted with all of its runs. Running chaos is stopped and reverted."
          look={look}
          run={() => ask(DELETE_EXPERIMENT, { projectID, experimentID })}
          onDone={onDeleted}
        />
      ) : null}
    </>
  );
}

/**
 * Runs an experiment, or starts its schedule, after a question that shows what a run would do. Nothing if the reader may not, or if the
 * schedule has been started.
 */
export function RunExperiment({
  project: projectID,
  experiment: { id: experimentID, name, infra, isScheduled, isBegun },
  look = 'link',
  onDone,
}: Acted): ReactElement | null {
  const may = useMay(projectID);
  if (!may('runChaosExperiment') || isBegun) return null;
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
      about={<PlanOfRun project={projectID} experiment={experimentID} />}
      look={look}
      run={() => ask(RUN_EXPERIMENT, { projectID, experimentID })}
      onDone={onDone}
    />
  );
}
