import type { ReactElement } from 'react';
import type { Axis } from '../../models/timeline/axis.ts';
import { offsetWords } from '../../models/timeline/describe.ts';
import { KIND_WORDS } from '../../models/timeline/kinds.ts';
import { Button } from '../../parts/button/button.tsx';

/** Maximum number of named marks. */
const MOST = 5;

/** The marks that show the reason, as links to their places on the axis. */
export function Evidence({
  axis,
  ids,
  onSelect,
}: {
  readonly axis: Axis;
  readonly ids: readonly number[];
  onSelect(mark: number): void;
}): ReactElement | null {
  if (ids.length === 0) return null;
  return (
    <ul className="evidence" aria-label="Evidence">
      {ids.slice(0, MOST).map((id) => (
        <li key={id}>
          <Button look="link" label={wordsOf(axis, id)} onClick={() => onSelect(id)} />
        </li>
      ))}
      {ids.length > MOST ? <li className="quiet">and {ids.length - MOST} more</li> : null}
    </ul>
  );
}

function wordsOf({ lanes, marks, isExact }: Axis, id: number): string {
  const mark = marks[id];
  if (mark === undefined) return '';
  const when = isExact ? ` at ${offsetWords(mark.startMs)}` : '';
  return `${lanes[mark.lane]?.name ?? ''}: ${KIND_WORDS[mark.kind]}${when}`;
}
