import { useMutation } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useRef } from 'react';
import { Options } from '../parts/options/options.tsx';
import './form.css';

/** The texts of a form, by name; a missing field is empty. */
export type Texts = (name: string) => string;

/** A form for one action: shows its progress, and why it was refused. */
export function Form({
  submit,
  run,
  onDone,
  children,
}: {
  /** What the button does, as a verb. */
  readonly submit: string;
  /** Gets the texts without spaces around them, and as they were typed, for secrets. */
  run(text: Texts, typed: Texts): Promise<unknown>;
  onDone?(): void;
  readonly children: ReactNode;
}): ReactElement {
  const form = useRef<HTMLFormElement>(null);
  const action = useMutation({
    mutationFn: (typed: Texts) => run((name) => typed(name).trim(), typed),
    onSuccess: () => {
      form.current?.reset();
      onDone?.();
    },
  });
  return (
    <form
      ref={form}
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        action.mutate((name) => String(fields.get(name) ?? ''));
      }}
    >
      {children}
      <p className="form-end">
        <button type="submit" className="button" disabled={action.isPending}>
          {submit}
        </button>
        <span role="status">{action.isSuccess ? 'Done.' : ''}</span>
      </p>
      {action.error === null ? null : <p role="alert">Failed: {action.error.message}</p>}
    </form>
  );
}

/** A line of text. */
export function TextField({
  name,
  label,
  initial = '',
  isNeeded = true,
  type = 'text',
  fills = 'off',
}: {
  readonly name: string;
  readonly label: string;
  readonly initial?: string | undefined;
  readonly isNeeded?: boolean;
  readonly type?: 'text' | 'password' | 'url' | 'email' | 'number';
  /** What a browser may fill in. */
  readonly fills?: string;
}): ReactElement {
  return (
    <label>
      {label}
      <input name={name} type={type} defaultValue={initial} required={isNeeded} autoComplete={fills} />
    </label>
  );
}

/** One of some values, each with the words for it; the initial value may be another one, which was set elsewhere. */
export function ChoiceField({
  name,
  label,
  choices,
  initial,
}: {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly (readonly [value: string, words: string])[];
  readonly initial?: string | undefined;
}): ReactElement {
  return (
    <label>
      {label}
      <select name={name} defaultValue={initial}>
        <Options choices={choices} own={initial} />
      </select>
    </label>
  );
}
