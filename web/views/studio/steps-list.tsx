import type { ReactElement } from 'react';
import type { Step } from '../../models/studio/draft.ts';
import { wayWords } from '../../models/studio/step-words.ts';
import { changeStep, moveStep, removeStep } from '../../models/studio/steps.ts';
import { Button } from '../../parts/button/button.tsx';
import type { PartProps } from './part-props.ts';

/** The faults of an experiment in their order, each with its description and position. */
export function StepsList({
  draft,
  shown,
  book,
  onChange,
  onOpen,
}: PartProps & { onOpen(step: string): void }): ReactElement {
  return (
    <>
      <ol className="steps-list">
        {draft.steps.map((step, place) => {
          const { name, fault } = step;
          const known = book?.faults[fault.name];
          return (
            <li key={name} data-together={step.isParallel}>
              <section aria-label={name} className="studio-step">
                <p className="studio-line">
                  <Button look="link" label={<bdi>{name}</bdi>} onClick={() => onOpen(name)} />
                  {fault.name === name ? null : <span className="quiet">{fault.name}</span>}
                </p>
                <p>
                  {known?.summary ?? fault.description}{' '}
                  {known === undefined ? null : <span className="quiet">{wayWords(known)}</span>}
                </p>
                <Place
                  step={step}
                  isFirst={place === 0}
                  isLast={place === draft.steps.length - 1}
                  onChange={onChange}
                />
              </section>
            </li>
          );
        })}
      </ol>
      {shown.kept.length === 0 ? null : (
        <p className="hint">
          The workflow also has what is before and after the faults: {shown.kept.join(', ')}. It stays as it
          is.
        </p>
      )}
    </>
  );
}

function Place({
  step: { name, isParallel },
  isFirst,
  isLast,
  onChange,
}: Pick<PartProps, 'onChange'> & {
  readonly step: Step;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}): ReactElement {
  const move = (by: number) => (): void => onChange((draft) => moveStep(draft, name, by));
  return (
    <p className="studio-place">
      <Button look="act" label="Up" name={`Up: ${name}`} isOff={isFirst} onClick={move(-1)} />
      <Button look="act" label="Down" name={`Down: ${name}`} isOff={isLast} onClick={move(1)} />
      <Button
        look="act"
        label="Remove"
        name={`Remove: ${name}`}
        onClick={() => onChange((draft) => removeStep(draft, name))}
      />
      {isFirst ? null : (
        <label>
          <input
            type="checkbox"
            checked={isParallel}
            onChange={({ target }) => {
              const changes = { isParallel: target.checked };
              onChange((draft) => changeStep(draft, name, changes));
            }}
          />{' '}
          together with the step before
        </label>
      )}
    </p>
  );
}
