import { type ReactElement, useState } from 'react';
import { settingWords } from '../../models/studio/setting-words.ts';
import { type SettingField, settingFields } from '../../models/studio/settings.ts';
import { withSetting } from '../../models/studio/steps.ts';
import { SelectInput, TextInput } from './field.tsx';
import type { StepPartProps } from './part-props.ts';

/** The settings of a step: those of its fault first, common ones folded. */
export function SettingsPart({ step, book, onChange }: StepPartProps): ReactElement {
  const { own, further } = settingFields(step, book);
  const set = (name: string, value: string): void =>
    onChange((draft) => withSetting(draft, step.name, name, value));
  const isKnown = book?.faults[step.fault.name] !== undefined;
  const wrong = further.filter(({ problem, value }) => problem !== undefined || value !== '').length;
  return (
    <>
      {book === undefined || isKnown ? null : (
        <p className="hint">
          {step.fault.name} is no fault of Turnsole, so what its settings may be is not known here.
        </p>
      )}
      <div className="form settings">
        {own.map((field) => (
          <Setting key={field.name} field={field} onChange={(value) => set(field.name, value)} />
        ))}
      </div>
      {further.length === 0 ? null : (
        <details open={wrong > 0}>
          <summary>Settings that every fault has ({further.length})</summary>
          <div className="form settings">
            {further.map((field) => (
              <Setting key={field.name} field={field} onChange={(value) => set(field.name, value)} />
            ))}
          </div>
        </details>
      )}
      <AddVariable onAdd={(name, value) => set(name, value)} />
    </>
  );
}

function Setting({
  field: { name, value, tunable, fallback, form, problem },
  onChange,
}: {
  readonly field: SettingField;
  onChange(value: string): void;
}): ReactElement {
  const unit = [unitOf(tunable), name].filter((part) => part !== undefined).join(', ');
  const words = { label: settingWords(name), problem, unit, help: helpOf(tunable, form, fallback) };
  if (tunable?.type === 'boolean' || tunable?.type === 'choice') {
    const choices = tunable.type === 'boolean' ? ['true', 'false'] : tunable.choices;
    return (
      <SelectInput
        {...words}
        value={value}
        choices={[
          ['', `default: ${fallback}`],
          ...choices.map((choice): [string, string] => [choice, choice]),
        ]}
        onChange={onChange}
      />
    );
  }
  return <TextInput {...words} value={value} placeholder={fallback} onChange={onChange} />;
}

function unitOf(tunable: SettingField['tunable']): string | undefined {
  if (tunable?.type === 'percentage') return '%';
  return tunable !== undefined && 'unit' in tunable ? tunable.unit : undefined;
}

function helpOf(tunable: SettingField['tunable'], form: string, fallback: string): ReactElement | null {
  if (tunable === undefined) return null;
  const isPlain = tunable.type === 'boolean' || tunable.type === 'choice' || form === 'text';
  return (
    <>
      {tunable.description}
      <span className="takes">
        {isPlain ? '' : `Takes ${form}. `}
        {tunable.required === true ? 'Needed.' : fallback === '' ? '' : `Default: ${fallback}.`}
      </span>
    </>
  );
}

/** Adds any other variable, since an engine may set all. */
function AddVariable({ onAdd }: { onAdd(name: string, value: string): void }): ReactElement {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const isName = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
  return (
    <details>
      <summary>Another variable</summary>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          onAdd(name, value);
          setName('');
          setValue('');
        }}
      >
        <TextInput
          label="Name of the variable"
          value={name}
          problem={
            name === '' || isName ? undefined : 'Needs letters, digits and underscores, no digit first'
          }
          onChange={setName}
        />
        <TextInput label="Value" value={value} onChange={setValue} />
        <p className="form-end">
          <button type="submit" className="button" disabled={!isName || value === ''}>
            Add the variable
          </button>
        </p>
      </form>
    </details>
  );
}
