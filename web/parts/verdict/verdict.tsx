import type { ReactElement } from 'react';
import { plainText } from '../../models/words/plain.ts';
import { type Shape, stateWords } from '../../models/words/verdict.ts';

/** Outlines on a grid of 12. */
const PATHS: Readonly<Record<Shape, string>> = {
  check: 'M2 6.5 5 9.5 10 3',
  cross: 'M3 3 9 9M9 3 3 9',
  triangle: 'M6 2 10.5 10H1.5Z',
  square: 'M2.5 2.5h7v7h-7z',
  ring: 'M6 2a4 4 0 1 0 .01 0z',
  play: 'M3.5 2 9.5 6 3.5 10Z',
  dash: 'M2.5 6h7',
};

/** A verdict, or the state of a run or step: shape, word and colour. */
export function Verdict({
  state,
  isBrief = false,
  words,
  title,
}: {
  readonly state: string;
  /** More than the word of the state, such as how long it has lasted. @default the word */
  readonly words?: string;
  readonly isBrief?: boolean;
  /** Why it is in that state. */
  readonly title?: string | undefined;
}): ReactElement {
  const { word, tone, shape } = stateWords(state);
  return (
    <span className="verdict" data-tone={tone} title={isBrief ? word : title && plainText(title)}>
      <svg
        viewBox="0 0 12 12"
        aria-hidden={!isBrief}
        role={isBrief ? 'img' : undefined}
        aria-label={isBrief ? word : undefined}
      >
        <path d={PATHS[shape]} />
      </svg>
      {isBrief ? null : (words ?? word)}
    </span>
  );
}
