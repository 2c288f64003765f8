import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { newStudioPath, studioPath } from '../../address/routes.ts';
import { RunExperiment } from '../experiments/experiment-actions.tsx';
import { usePermissions } from '../use-permissions.ts';
import type { ShownRun } from './generated/run.ts';

/** Kinds of experiments that a user starts. */
const ON_DEMAND: readonly string[] = ['experiment', 'chaosengine'];

/** What to do after a run has ended: the same again, harder, or on another workload. */
export function WaysOn({
  project,
  run: { experimentID, experimentName: name, experimentType, infra },
}: {
  readonly project: string;
  readonly run: ShownRun;
}): ReactElement {
  const may = usePermissions(project);
  return (
    <p className="ways-on">
      {ON_DEMAND.includes(experimentType ?? '') ? (
        <RunExperiment
          project={project}
          experiment={{ experimentID, name, infra, schedule: null }}
          look="button"
          word="Run again"
          onDone={() => undefined}
        />
      ) : null}
      {may('updateChaosExperiment') ? (
        <Link className="button" href={`${studioPath(project, experimentID)}?part=settings&v=1`}>
          Make it harder
        </Link>
      ) : null}
      {may('saveChaosExperiment') ? (
        <Link className="button" href={`${newStudioPath(project, 'copy', experimentID)}&part=where`}>
          Try it on another workload
        </Link>
      ) : null}
    </p>
  );
}
