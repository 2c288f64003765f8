import type { ReactElement, ReactNode } from 'react';

/** A labelled field with what is wrong with it under it. */
export function Field({
  label,
  problem,
  children,
}: {
  readonly label: string;
  readonly problem?: string | undefined;
  /** One input or select. */
  readonly children: ReactNode;
}): ReactElement {
  return (
    <div>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the input is what is passed */}
      <label>
        {label}
        {children}
      </label>
      {problem === undefined ? null : <span className="refused">{problem}</span>}
    </div>
  );
}

/** A line of text that is told as it is typed. */
export function TextInput({
  label,
  value,
  onChange,
  problem,
  choices,
}: {
  readonly label: string;
  readonly value: string;
  onChange(value: string): void;
  readonly problem?: string | undefined;
  /** The id of a list of texts that are offered. */
  readonly choices?: string;
}): ReactElement {
  return (
    <Field label={label} problem={problem}>
      <input
        value={value}
        list={choices}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem !== undefined}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  );
}
