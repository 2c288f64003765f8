import type { ReactElement } from 'react';
import { Evidence } from './evidence.tsx';
import { RevertingPanel } from './reverting-panel.tsx';
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
