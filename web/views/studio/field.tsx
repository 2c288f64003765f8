import { type ReactElement, type ReactNode, useId } from 'react';
import { Options } from '../../parts/options/options.tsx';
import '../form.css';

/** Texts of a field. */
interface FieldWords {
  readonly label: string;
  /** Its problem. */
  readonly problem?: string | undefined;
  /** Its meaning, and its valid values. */
  readonly help?: ReactNode;
  /** A unit, shown muted after the label. */
  readonly unit?: string | undefined;
}

/** Attributes that connect an input with its texts. */
interface InputProps {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string;
}

/** A labelled field, with its meaning and its problem below. */
function Field({
  label,
  problem,
  help,
  unit,
  children,
}: FieldWords & {
  /** One input or select. */
  children(input: InputProps): ReactNode;
}): ReactElement {
  const id = useId();
  const [helpId, problemId] = [`${id}-help`, `${id}-problem`];
  return (
    <div className="field" data-state={problem === undefined ? undefined : 'wrong'}>
      <label htmlFor={id}>
        {label}
        {unit === undefined ? null : <span className="unit"> {unit}</span>}
      </label>
      {children({ id, 'aria-invalid': problem !== undefined, 'aria-describedby': `${problemId} ${helpId}` })}
      <span id={problemId} className="refused" aria-live="polite">
        {problem}
      </span>
      <span id={helpId} className="help">
        {help}
      </span>
    </div>
  );
}

/** A text field that reports every change. */
export function TextInput({
  value,
  onChange,
  choices = [],
  placeholder = '',
  ...words
}: FieldWords & {
  readonly value: string;
  onChange(value: string): void;
  /** Suggestions; any other text is possible. */
  readonly choices?: readonly string[];
  readonly placeholder?: string;
}): ReactElement {
  const list = useId();
  return (
    <Field {...words}>
      {(input) => (
        <>
          <input
            {...input}
            value={value}
            placeholder={placeholder}
            list={choices.length === 0 ? undefined : list}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => onChange(target.value)}
          />
          {choices.length === 0 ? null : (
            <datalist id={list}>
              {choices.map((choice) => (
                <option key={choice} value={choice} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

/** A selection of values, each with its text. Shows an unknown value as well. */
export function SelectInput({
  value,
  onChange,
  choices,
  ...words
}: FieldWords & {
  readonly value: string;
  onChange(value: string): void;
  readonly choices: readonly (readonly [value: string, words: string])[];
}): ReactElement {
  const isListed = choices.some(([one]) => one === value);
  return (
    <Field {...words}>
      {(input) => (
        <select {...input} value={value} onChange={({ target }) => onChange(target.value)}>
          {isListed ? null : <option value={value}>{value}</option>}
          <Options choices={choices} />
        </select>
      )}
    </Field>
  );
}
