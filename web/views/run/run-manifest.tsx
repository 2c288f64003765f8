import { type ReactElement, useMemo } from 'react';
import { stringify } from 'yaml';
import { begunAgain } from '../../models/run/begin-again.ts';
import { plainText } from '../../models/words/plain.ts';
import { StateView } from '../state-view.tsx';
import { PlanPanel } from '../studio/plan-panel.tsx';
import { useAsk } from '../use-ask.ts';
import { RUN_MANIFEST, type ShownRun } from './generated/run.ts';

interface Props {
  readonly project: string;
  readonly run: ShownRun;
}

/** The manifest of a run as YAML: its object, where nobody has registered it. */
export function RunObject({ project, run }: Props): ReactElement {
  const view = useAsk(RUN_MANIFEST, { projectID: project, runID: run.experimentRunID });
  return (
    <StateView view={view} what="the manifest of this run">
      {({ getExperimentRun: { experimentManifest } }) => (
        <pre className="text">{plainText(stringify(JSON.parse(experimentManifest)))}</pre>
      )}
    </StateView>
  );
}

/** What the run would do if it began again now. */
export function RunPlan({ project, run }: Props): ReactElement {
  const view = useAsk(RUN_MANIFEST, { projectID: project, runID: run.experimentRunID });
  const text = 'data' in view ? view.data.getExperimentRun.experimentManifest : undefined;
  const manifest = useMemo(
    () => (text === undefined ? undefined : JSON.stringify(begunAgain(JSON.parse(text)))),
    [text],
  );
  return (
    <StateView view={view} what="the manifest of this run">
      {() => (
        <>
          <p className="hint">What it would do if it started again now.</p>
          <PlanPanel project={project} infraID={run.infra.infraID} manifest={manifest} />
        </>
      )}
    </StateView>
  );
}
