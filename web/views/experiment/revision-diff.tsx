import type { ReactElement } from 'react';
import { later } from '../../parts/later/later.tsx';
import { RUN_MANIFEST } from '../run/run-query.ts';
import { StateView } from '../state-view.tsx';
import { useAsk } from '../use-ask.ts';

// What writes YAML is large, and seldom wanted here.
const DiffText = later('Comparing the manifests', async () => (await import('./diff-text.tsx')).DiffText);

/** What of an experiment was otherwise in a run than in the run before. */
export function RevisionDiff({
  project: projectID,
  before,
  after,
  onClose,
}: {
  readonly project: string;
  /** IDs of the runs, or of their starts. */
  readonly before: string;
  readonly after: string;
  onClose(): void;
}): ReactElement {
  const one = useAsk(RUN_MANIFEST, { projectID, runID: before }, () => false);
  const other = useAsk(RUN_MANIFEST, { projectID, runID: after }, () => false);
  return (
    <section aria-label="What was changed">
      <h2>
        What was changed{' '}
        <button type="button" className="link" onClick={onClose}>
          Close
        </button>
      </h2>
      <StateView view={one} what="what was run before" empty={null}>
        {(first) => (
          <StateView view={other} what="what was run" empty={null}>
            {(second) => (
              <DiffText
                before={first.getExperimentRun.experimentManifest}
                after={second.getExperimentRun.experimentManifest}
              />
            )}
          </StateView>
        )}
      </StateView>
    </section>
  );
}
