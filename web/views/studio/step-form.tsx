import type { ReactElement } from 'react';
import type { Draft, Step } from '../../models/studio/draft.ts';
import { changeStep, moveStep, removeStep } from '../../models/studio/steps.ts';
import { TextInput } from './field.tsx';
import { ProbeFields } from './probe-fields.tsx';
import { TargetFields } from './target-fields.tsx';

/** One fault of an experiment: its place in the order, target, settings, probes and weight. */
export function StepForm({
  project,
  draft,
  step,
  problemOf,
  onChange,
}: {
  readonly project: string;
  readonly draft: Draft;
  readonly step: Step;
  problemOf(field: string): string | undefined;
  onChange(draft: Draft): void;
}): ReactElement {
  const change = (changes: Partial<Step>): void => onChange(changeStep(draft, step.name, changes));
  return (
    <section aria-label={step.name} className="studio-step">
      <h3>{step.name}</h3>
      <p>{step.fault.description}</p>
      <Place draft={draft} step={step} onChange={onChange} />
      <div className="form">
        {step.fault.hasTarget ? (
          <TargetFields
            infra={draft.infraID}
            target={step.target}
            problemOf={problemOf}
            onChange={(target) => change({ target })}
          />
        ) : null}
        <TextInput
          label="Weight in the score, 0 to 10"
          value={String(step.weight)}
          problem={problemOf('weight')}
          onChange={(text) => change({ weight: text.trim() === '' ? Number.NaN : Number(text) })}
        />
        <ProbeFields project={project} probes={step.probes} onChange={(probes) => change({ probes })} />
      </div>
      <details>
        <summary>Settings of {step.name}</summary>
        <div className="form">
          {Object.entries(step.settings).map(([name, value]) => (
            <TextInput
              key={name}
              label={name}
              value={value}
              onChange={(text) => change({ settings: { ...step.settings, [name]: text } })}
            />
          ))}
        </div>
      </details>
    </section>
  );
}

function Place({
  draft,
  step,
  onChange,
}: {
  readonly draft: Draft;
  readonly step: Step;
  onChange(draft: Draft): void;
}): ReactElement {
  const { name } = step;
  const place = draft.steps.indexOf(step);
  return (
    <p className="studio-place">
      <Button label="Up" of={name} isOff={place === 0} do={() => onChange(moveStep(draft, name, -1))} />
      <Button
        label="Down"
        of={name}
        isOff={place === draft.steps.length - 1}
        do={() => onChange(moveStep(draft, name, 1))}
      />
      <Button label="Remove" of={name} do={() => onChange(removeStep(draft, name))} />
      {place === 0 ? null : (
        <label>
          <input
            type="checkbox"
            checked={step.isParallel}
            onChange={({ target }) => onChange(changeStep(draft, name, { isParallel: target.checked }))}
          />{' '}
          together with the step before
        </label>
      )}
    </p>
  );
}

function Button({
  label,
  of,
  isOff = false,
  do: act,
}: {
  readonly label: string;
  readonly of: string;
  readonly isOff?: boolean;
  do(): void;
}): ReactElement {
  return (
    <button type="button" className="link act" aria-label={`${label}: ${of}`} disabled={isOff} onClick={act}>
      {label}
    </button>
  );
}
