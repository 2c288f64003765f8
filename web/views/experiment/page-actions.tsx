import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { comparePath } from '../../address/compare.ts';
import { studioPath } from '../../address/routes.ts';
import { ask } from '../../api/client.ts';
import { isAtWork, lastTwo, type PastRun } from '../../models/experiment/score-history.ts';
import { ActionButton } from '../action-button.tsx';
import { type ActedExperiment, ExperimentActions } from '../experiments/experiment-actions.tsx';
import { usePermissions } from '../use-permissions.ts';
import { STOP_ALL, SUSPEND } from './generated/experiment.ts';

/** Actions on the experiment of the page. */
export function PageActions({
  project: projectID,
  experiment,
  runs,
  yaml,
  onYaml,
  onDone,
  onDeleted,
}: {
  readonly project: string;
  readonly experiment: ActedExperiment;
  /** The newest first. */
  readonly runs: readonly (PastRun | null)[];
  readonly yaml: 'hidden' | 'shown';
  onYaml(yaml: 'hidden' | 'shown'): void;
  onDone(): void;
  onDeleted(): void;
}): ReactElement {
  const { experimentID: id, name, schedule } = experiment;
  const two = lastTwo(runs);
  const may = usePermissions(projectID);
  return (
    <div className="experiment-actions">
      {isAtWork(runs) && may('stopExperimentRuns') ? (
        <ActionButton
          label="Stop"
          name={`Stop all runs of ${name}`}
          question="Faults in force are reverted, and no further step begins."
          look="button"
          run={() => ask(STOP_ALL, { projectID, id })}
          onDone={onDone}
        />
      ) : null}
      <ExperimentActions
        project={projectID}
        experiment={experiment}
        look="button"
        onDone={onDone}
        onDeleted={onDeleted}
      />
      {schedule?.isBegun === true && may('updateCronExperimentState') ? (
        <ActionButton
          label={schedule.isSuspended ? 'Resume the schedule' : 'Suspend the schedule'}
          name={`${schedule.isSuspended ? 'Resume' : 'Suspend'} the schedule of ${name}`}
          look="button"
          run={() => ask(SUSPEND, { projectID, id, isSuspended: !schedule.isSuspended })}
          onDone={onDone}
        />
      ) : null}
      {may('planManifest') ? (
        <Link className="button" href={`${studioPath(projectID, id)}?part=plan&v=1`}>
          Plan
        </Link>
      ) : null}
      {two === undefined ? null : (
        <Link
          className="button"
          href={comparePath(projectID, { a: two[0].experimentRunID, b: two[1].experimentRunID })}
        >
          Compare the last two runs
        </Link>
      )}
      <button
        type="button"
        className="button"
        aria-expanded={yaml === 'shown'}
        onClick={() => onYaml(yaml === 'shown' ? 'hidden' : 'shown')}
      >
        YAML
      </button>
    </div>
  );
}
