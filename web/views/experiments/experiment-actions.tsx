import type { ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import type { ExperimentSchedule } from '../../../src/controlplane/schema/generated/types.ts';
import { newStudioPath, runPath, studioPath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { plainText } from '../../models/words/plain.ts';
import { lazyView } from '../../parts/lazy-view/lazy-view.tsx';
import { ActionButton } from '../action-button.tsx';
import { usePermissions } from '../use-permissions.ts';
import { DELETE_EXPERIMENT, RUN_EXPERIMENT } from './generated/experiments.ts';

// Loaded on demand: plans are only needed before a run.
const PlanOfRun = lazyView('Loading the plan', async () => (await import('./plan-of-run.tsx')).PlanOfRun);

/** What the actions on an experiment have to know of it. */
export interface ActedExperiment {
  readonly experimentID: string;
  readonly name: string;
  readonly infra: { readonly name: string } | null;
  readonly schedule: ExperimentSchedule | null;
}

interface Acted {
  readonly project: string;
  readonly experiment: ActedExperiment;
  readonly look?: 'act' | 'button';
  onDone(): void;
}

/** The reader's actions on an experiment. */
export function ExperimentActions({
  onDeleted,
  ...acted
}: Acted & {
  onDeleted(): void;
}): ReactElement {
  const { project: projectID, experiment, look = 'act' } = acted;
  const { experimentID } = experiment;
  const name = plainText(experiment.name);
  const may = usePermissions(projectID);
  return (
    <>
      <RunExperiment {...acted} />
      {may('updateChaosExperiment') ? (
        <Link className={look} href={studioPath(projectID, experimentID)} aria-label={`Change ${name}`}>
          Change
        </Link>
      ) : null}{' '}
      {may('saveChaosExperiment') ? (
        <Link
          className={look}
          href={newStudioPath(projectID, 'copy', experimentID)}
          aria-label={`Copy ${name}`}
        >
          Copy
        </Link>
      ) : null}{' '}
      {may('deleteChaosExperiment') ? (
        <ActionButton
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
 * Runs an experiment and opens the run, or starts its schedule, after a question that shows what a run would do. Nothing if the reader may not, or if the
 * schedule has been started.
 */
export function RunExperiment({
  project: projectID,
  experiment: { experimentID, name, infra, schedule },
  look = 'act',
  word = 'Run now',
  onDone,
}: Acted & {
  /** What its button says where there is no schedule. */
  readonly word?: string;
}): ReactElement | null {
  const may = usePermissions(projectID);
  const [, navigate] = useLocation();
  if (!may('runChaosExperiment') || schedule?.isBegun === true) return null;
  const place = infra?.name ?? '';
  const label = schedule !== null ? 'Begin the schedule' : word;
  return (
    <ActionButton
      label={label}
      name={`${label}: ${name}`}
      question={
        schedule !== null
          ? `From now on it hits what its manifest names in ${place} whenever its schedule says so. It can be suspended at any time.`
          : `It hits what its manifest names in ${place}, at once. It can be aborted at any time, which reverts it.`
      }
      about={<PlanOfRun project={projectID} experiment={experimentID} />}
      look={look}
      run={() => ask(RUN_EXPERIMENT, { projectID, experimentID })}
      onDone={({ runChaosExperiment: { notifyID } }) => {
        onDone();
        if (schedule === null) navigate(runPath(projectID, notifyID));
      }}
    />
  );
}
