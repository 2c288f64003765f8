import type { ReactElement } from 'react';
import type { RunAddress } from '../../address/run.ts';
import { lazyView } from '../../parts/lazy-view/lazy-view.tsx';
import type { Lighting } from './lighting.ts';
import type { RunModel } from './run-model.ts';

/** Neither is waited for: the axis above says what happened. */
const StepList = lazyView('Loading the steps', async () => (await import('./step-list.tsx')).StepList);
const GraphView = lazyView(
  'Loading the graph',
  async () => (await import('../graph/graph-view.tsx')).GraphView,
);

/** The steps of a run, as a list in the order of their start, or as a graph. */
export function StepsPanel({
  model,
  address,
  change,
  lighting,
}: {
  readonly model: Pick<RunModel, 'steps' | 'execution'>;
  readonly address: RunAddress;
  readonly lighting: Lighting;
  change(changes: Partial<RunAddress>, how: 'push' | 'replace'): void;
}): ReactElement {
  const { steps, execution } = model;
  const choose = (step: number): void => change({ step }, 'push');
  return (
    <section className="steps" aria-label="Steps">
      <fieldset className="tabs" aria-label="How steps are shown">
        {(['list', 'graph'] as const).map((how) => (
          <button
            key={how}
            type="button"
            aria-pressed={address.steps === how}
            onClick={() => change({ steps: how }, 'push')}
          >
            {how === 'list' ? 'List' : 'Graph'}
          </button>
        ))}
      </fieldset>
      {address.steps === 'graph' && execution !== undefined ? (
        <GraphView
          nodes={execution.nodes}
          selected={steps[address.step ?? -1]?.id}
          onSelect={(id) => choose(steps.findIndex((step) => step.id === id))}
          lighting={lighting}
        />
      ) : (
        <StepList steps={steps} selected={address.step} onSelect={choose} lighting={lighting} />
      )}
    </section>
  );
}
