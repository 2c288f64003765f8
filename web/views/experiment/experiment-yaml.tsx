import type { ReactElement } from 'react';
import { lazyView } from '../../parts/lazy-view/lazy-view.tsx';
import { StateView } from '../state-view.tsx';
import { EXPERIMENT } from '../studio/generated/studio.ts';
import { useAsk } from '../use-ask.ts';

// Loaded on demand: the YAML library is large, and seldom needed here.
const Text = lazyView('Loading the manifest', async () => (await import('./yaml-text.tsx')).YamlText);

/** The current manifest of an experiment. */
export function ExperimentYaml({
  project,
  id,
}: {
  readonly project: string;
  readonly id: string;
}): ReactElement {
  const view = useAsk(EXPERIMENT, { projectID: project, id });
  return (
    <section aria-label="YAML">
      <h2>YAML</h2>
      <StateView view={view} what="the manifest">
        {({ getExperiment }) => <Text experiment={getExperiment.experimentDetails} />}
      </StateView>
    </section>
  );
}
