import type { ReactElement } from 'react';

/** The values that a `select` offers, each with the words for it. */
export function Options({
  choices,
  own = '',
}: {
  readonly choices: readonly (readonly [value: string, words: string])[];
  /** The value that is set, which is offered also if it is none of the choices. @default none */
  readonly own?: string | undefined;
}): ReactElement[] {
  const isOffered = own === '' || choices.some(([value]) => value === own);
  return (isOffered ? choices : [...choices, [own, own] as const]).map(([value, words]) => (
    <option key={value} value={value}>
      {words}
    </option>
  ));
}
