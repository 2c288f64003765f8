import { type ReactElement, useState } from 'react';
import { revertingOf } from '../../models/run/reverting.ts';
import type { Axis } from '../../models/timeline/axis.ts';

/** What becomes of that which was in force when a run was stopped, as it happens. */
export function RevertingPanel({
  axis,
  isOver,
  onSelect,
}: {
  readonly axis: Axis;
  readonly isOver: boolean;
  onSelect(mark: number): void;
}): ReactElement {
  // Until the time of the stop is known, what is reverted after this moment was in force then.
  const [seenMs] = useState(axis.lengthMs);
  const { sentence, rows } = revertingOf({ axis, isOver, seenMs });
  return (
    <section className="reverting" aria-label="Abort" data-over={isOver}>
      <p role="status">{sentence}</p>
      {rows.length === 0 ? null : (
        <ul>
          {rows.map(({ name, state, when, mark }) => (
            <li key={mark} data-state={state}>
              <b>{state}</b>{' '}
              <button type="button" className="link" onClick={() => onSelect(mark)}>
                <bdi>{name}</bdi>
              </button>{' '}
              <span className="quiet">{when}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
