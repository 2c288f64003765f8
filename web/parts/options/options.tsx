import type { ReactElement } from 'react';

/** The values that a `select` offers, each with the words for it. */
export function Options({
  choices,
}: {
  readonly choices: readonly (readonly [value: string, words: string])[];
}): ReactElement[] {
  return choices.map(([value, words]) => (
    <option key={value} value={value}>
      {words}
    </option>
  ));
}
