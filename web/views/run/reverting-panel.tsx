import { type ReactElement, useState } from 'react';
import { revertingOf } from '../../models/run/reverting.ts';
import type { Axis } from '../../models/timeline/axis.ts';
import { Button } from '../../parts/button/button.tsx';

/** Live progress of the reverts after a stop. */
export function RevertingPanel({
  axis,
  isOver,
  onSelect,
}: {
  readonly axis: Axis;
  readonly isOver: boolean;
  onSelect(mark: number): void;
}): ReactElement {
  // Until the time of the stop is known, faults reverted after this moment count as in force at the stop.
  const [seenMs] = useState(axis.lengthMs);
  const { sentence, rows } = revertingOf({ axis, isOver, seenMs });
  return (
    <section className="reverting" aria-label="Abort" data-over={isOver}>
      <p role="status">{sentence}</p>
      {rows.length === 0 ? null : (
        <ul>
          {rows.map(({ name, state, when, mark }) => (
            <li key={mark} data-state={state}>
              <b>{state}</b> <Button look="link" label={<bdi>{name}</bdi>} onClick={() => onSelect(mark)} />{' '}
              <span className="quiet">{when}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
