import { type ReactElement, useMemo } from 'react';
import { StateView } from '../state-view.tsx';
import { EXPERIMENT } from '../studio/generated/studio.ts';
import { PlanPanel } from '../studio/plan-panel.tsx';
import { useAsk } from '../use-ask.ts';

/** The plan of a stored experiment, from the agent of its infrastructure. */
export function PlanOfRun({
  project,
  experiment,
}: {
  readonly project: string;
  readonly experiment: string;
}): ReactElement {
  const view = useAsk(EXPERIMENT, { projectID: project, id: experiment });
  const manifest = 'data' in view ? view.data.getExperiment.experimentDetails.experimentManifest : '';
  const shown = useMemo(() => (manifest === '' ? undefined : manifest), [manifest]);
  return (
    <StateView view={view} what="what a run would do">
      {({ getExperiment: { experimentDetails } }) => (
        <PlanPanel project={project} infraID={experimentDetails.infra?.infraID ?? ''} manifest={shown} />
      )}
    </StateView>
  );
}
