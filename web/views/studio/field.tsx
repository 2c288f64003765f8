import { type ReactElement, type ReactNode, useId } from 'react';
import '../form.css';

/** What is said of a field. */
interface FieldWords {
  readonly label: string;
  /** What is wrong with it. */
  readonly problem?: string | undefined;
  /** What it means, and what may stand in it. */
  readonly help?: ReactNode;
  /** Behind the label, less loud: a unit. */
  readonly unit?: string | undefined;
}

/** What ties an input to what is said of it. */
interface InputProps {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string;
}

/** A labelled field with what it means and what is wrong with it under it. */
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

/** A line of text that is told as it is typed. */
export function TextInput({
  value,
  onChange,
  choices = [],
  placeholder = '',
  ...words
}: FieldWords & {
  readonly value: string;
  onChange(value: string): void;
  /** Texts that are offered; any other can be typed. */
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

/** One of some values, each with the words for it. A value that is none of them is shown as well. */
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
          {choices.map(([one, said]) => (
            <option key={one} value={one}>
              {said}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
