import { type ReactElement, useState } from 'react';
import { revertingOf } from '../../models/run/reverting.ts';
import type { Axis } from '../../models/timeline/axis.ts';
import { saidBy } from '../../models/timeline/cause.ts';
import { momentWords } from '../../models/timeline/describe.ts';
import { KIND_WORDS } from '../../models/timeline/kinds.ts';
import { plainText } from '../../models/words/plain.ts';
import { Button } from '../../parts/button/button.tsx';
import type { RunModel } from './run-model.ts';

/** Why a run is as it is: the sentence, the marks that show it, and after a stop what is reverted. */
export function Reason({
  model: { axis, sentence, evidence },
  stop,
  onSelect,
}: {
  readonly model: Pick<RunModel, 'axis' | 'sentence' | 'evidence'>;
  /** Whether a stopped run has ended; undefined for a run that was not stopped. */
  readonly stop: { readonly isOver: boolean } | undefined;
  onSelect(mark: number): void;
}): ReactElement {
  return (
    <>
      {sentence === '' ? null : <p className="why">{sentence}</p>}
      <Evidence axis={axis} ids={evidence} onSelect={onSelect} />
      {stop === undefined ? null : <RevertingPanel axis={axis} isOver={stop.isOver} onSelect={onSelect} />}
    </>
  );
}

/** Maximum number of named marks. */
const MOST = 5;

/** The marks that show the reason, as links to their places on the axis. */
function Evidence({
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
  // That a step failed is known at its end.
  const atMs = lanes[mark.lane]?.group === 'Steps' && mark.endMs < Infinity ? mark.endMs : mark.startMs;
  const when = isExact ? `, ${momentWords(atMs)}` : '';
  // A step says by itself what was done.
  const what = mark.kind === 'step' ? plainText(saidBy(mark)) : KIND_WORDS[mark.kind];
  return `${lanes[mark.lane]?.name ?? ''}: ${what}${when}`;
}

/** Live progress of the reverts after a stop. */
function RevertingPanel({
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
