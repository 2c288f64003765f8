import type { ReactElement } from 'react';
import type { StudioAddress } from '../../address/studio.ts';
import { addStep } from '../../models/studio/steps.ts';
import { Button } from '../../parts/button/button.tsx';
import { lazyView } from '../../parts/lazy-view/lazy-view.tsx';
import { Panel } from '../../parts/panel/panel.tsx';
import { AddFault } from './add-fault.tsx';
import { TextInput } from './field.tsx';
import { type PartProps, problemAt } from './part-props.ts';
import { Sentence } from './sentence.tsx';
import { StepsList } from './steps-list.tsx';

const StepsGraph = lazyView('Loading the graph', async () => (await import('./steps-graph.tsx')).StepsGraph);

/** The name of an experiment, and its faults in their order. */
export function WhatPart({
  address,
  linkTo,
  onAddress,
  ...props
}: PartProps & {
  linkTo(changes: Partial<StudioAddress>): string;
  readonly address: StudioAddress;
  onAddress(changes: Partial<StudioAddress>): void;
}): ReactElement {
  const { project, draft, problems, onChange } = props;
  return (
    <>
      <div className="form">
        <TextInput
          label="Name"
          value={draft.name}
          // An empty field is no mistake yet; the number at the part says that it is to be filled.
          problem={draft.name === '' ? undefined : problemAt(problems, 'name')}
          onChange={(name) => onChange((before) => ({ ...before, name }))}
        />
        <TextInput
          label="Description"
          value={draft.description}
          onChange={(description) => onChange((before) => ({ ...before, description }))}
        />
      </div>
      <Sentence {...props} linkTo={linkTo} />
      <div className="studio-line">
        <h3>Steps</h3>
        {draft.steps.length === 0 ? null : (
          <Button
            look="link"
            label={address.steps === 'list' ? 'Show as a graph' : 'Show as a list'}
            onClick={() => onAddress({ steps: address.steps === 'list' ? 'graph' : 'list' })}
          />
        )}
      </div>
      {address.steps === 'graph' && draft.steps.length > 0 ? (
        <Panel name="The graph">
          <StepsGraph steps={draft.steps} onOpen={(step) => onAddress({ part: 'settings', step })} />
        </Panel>
      ) : (
        <StepsList {...props} onOpen={(step) => onAddress({ part: 'settings', step })} />
      )}
      <AddFault
        project={project}
        isFirst={draft.steps.length === 0}
        onAdd={(fault) => onChange((before) => addStep(before, fault))}
      />
    </>
  );
}
