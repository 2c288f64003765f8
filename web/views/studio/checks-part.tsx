import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { changeStep } from '../../models/studio/steps.ts';
import { TextInput } from './field.tsx';
import { PROBES } from './generated/studio.ts';
import { NewCheck } from './new-check.tsx';
import { problemAt, type StepPartProps } from './part-props.ts';
import { ProbeFields } from './probe-fields.tsx';

/** The probes of a step, and its weight. */
export function ChecksPart({ project, draft, step, shown, problems, onChange }: StepPartProps): ReactElement {
  const queries = useQueryClient();
  const own = shown.ownProbes.get(step.name) ?? 0;
  return (
    <>
      <div className="form">
        <TextInput
          label="Weight in the score"
          unit="0 to 10"
          value={Number.isNaN(step.weight) ? '' : String(step.weight)}
          problem={problemAt(problems, 'weight', step.name)}
          help="Its weight in the score of a run, relative to the other faults."
          onChange={(text) => {
            const weight = text.trim() === '' ? Number.NaN : Number(text);
            onChange((draft) => changeStep(draft, step.name, { weight }));
          }}
        />
      </div>
      {own === 0 ? null : (
        <p className="hint">
          {own === 1 ? 'One probe stands' : `${own} probes stand`} in the engine itself, in the YAML. When the
          experiment is saved, they become probes of the project, too.
        </p>
      )}
      {step.probes.length + own === 0 ? (
        <p className="hint" role="status">
          Nothing is checked: a run without a check can only fail by an error.
        </p>
      ) : null}
      <NewCheck
        project={project}
        infraID={draft.infraID}
        target={step.target}
        onMade={(name) => {
          onChange((before) =>
            changeStep(before, step.name, { probes: [...step.probes, { name, mode: 'Continuous' }] }),
          );
          void queries.invalidateQueries({ queryKey: [PROBES.text] });
        }}
      />
      <ProbeFields
        project={project}
        probes={step.probes}
        onChange={(probes) => onChange((draft) => changeStep(draft, step.name, { probes }))}
      />
    </>
  );
}
