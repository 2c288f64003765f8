import type { ReactElement } from 'react';
import { Button } from '../../parts/button/button.tsx';
import { lazyView } from '../../parts/lazy-view/lazy-view.tsx';
import { RUN_MANIFEST } from '../run/generated/run.ts';
import { StateView } from '../state-view.tsx';
import { useAsk } from '../use-ask.ts';

// Loaded on demand: the YAML library is large, and seldom needed here.
const DiffText = lazyView('Comparing the manifests', async () => (await import('./diff-text.tsx')).DiffText);

/** The differences of an experiment between a run and the previous one. */
export function RevisionDiff({
  project: projectID,
  before,
  after,
  onClose,
}: {
  readonly project: string;
  /** IDs of the runs, or of their start requests. */
  readonly before: string;
  readonly after: string;
  onClose(): void;
}): ReactElement {
  const one = useAsk(RUN_MANIFEST, { projectID, runID: before });
  const other = useAsk(RUN_MANIFEST, { projectID, runID: after });
  return (
    <section aria-label="Changes">
      <h2>
        Changes <Button look="link" label="Close" onClick={onClose} />
      </h2>
      <StateView view={one} what="what was run before">
        {(first) => (
          <StateView view={other} what="what was run">
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
