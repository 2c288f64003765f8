import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactElement, useEffect, useRef } from 'react';
import { durationWords } from '../../models/words/duration.ts';
import { plainText } from '../../models/words/plain.ts';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { type Lighting, useIsLit } from './lighting.ts';
import type { RunModel } from './run-model.ts';

/** Height of a row, in pixels. */
const ROW_PX = 32;

/** The steps as rows; only visible ones are rendered. */
export function StepList({
  steps,
  selected,
  onSelect,
  lighting,
}: {
  readonly steps: RunModel['steps'];
  readonly selected: number | undefined;
  readonly lighting: Lighting;
  onSelect(step: number): void;
}): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: steps.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  // Scrolls to a step that was selected elsewhere.
  useEffect(() => {
    if (selected !== undefined) rows.scrollToIndex(selected, { align: 'auto' });
  }, [selected, rows]);
  return (
    <div ref={place} className="step-list">
      <ol style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const step = steps[index];
          if (step === undefined) return null;
          return (
            <li
              key={step.id}
              style={{ transform: `translateY(${start}px)` }}
              aria-setsize={steps.length}
              aria-posinset={index + 1}
            >
              <StepRow
                step={step}
                isSelected={selected === index}
                lighting={lighting}
                onSelect={() => onSelect(index)}
              />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function StepRow({
  step,
  isSelected,
  lighting,
  onSelect,
}: {
  readonly step: RunModel['steps'][number];
  readonly isSelected: boolean;
  readonly lighting: Lighting;
  onSelect(): void;
}): ReactElement {
  const isLit = useIsLit(lighting, step.id);
  const [light, darken] = [() => lighting.lightStep(step.id), () => lighting.lightStep(undefined)];
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      data-lit={isLit}
      onClick={onSelect}
      onPointerEnter={light}
      onPointerLeave={darken}
      onFocus={light}
      onBlur={darken}
    >
      <Verdict state={step.phase} isBrief />
      <bdi>{plainText(step.name)}</bdi>
      <small>{timeOf(step)}</small>
    </button>
  );
}

function timeOf({ startMs, endMs }: RunModel['steps'][number]): string {
  if (startMs === undefined) return 'not begun';
  return endMs === undefined ? 'running' : durationWords(endMs - startMs);
}
