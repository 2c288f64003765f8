import type { ReactElement } from 'react';
import { plainText } from '../../models/words/plain.ts';

/** A selectable run. */
interface Choice {
  readonly id: string;
  readonly words: string;
}

/** Selects one of two runs; includes the run of the link even if it is not among the latest. */
export function ChooseRun({
  letter,
  value,
  choices,
  onChoose,
}: {
  readonly letter: 'A' | 'B';
  readonly value: string;
  readonly choices: readonly Choice[];
  onChoose(id: string): void;
}): ReactElement {
  const isListed = choices.some(({ id }) => id === value);
  return (
    <label>
      {letter}
      <select aria-label={`Run ${letter}`} value={value} onChange={({ target }) => onChoose(target.value)}>
        {isListed ? null : <option value={value}>{value === '' ? 'Choose a run' : plainText(value)}</option>}
        {choices.map(({ id, words }) => (
          <option key={id} value={id}>
            {plainText(words)}
          </option>
        ))}
      </select>
    </label>
  );
}
