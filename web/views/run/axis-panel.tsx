import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import type { RunAddress } from '../../address/run.ts';
import type { Axis } from '../../models/timeline/axis.ts';
import { foldedBy } from '../../models/timeline/layout.ts';
import { lazyView } from '../../parts/lazy-view/lazy-view.tsx';
import type { TimelineOptions, TimelineView } from '../../parts/timeline/state.ts';
import { Timeline } from '../../parts/timeline/timeline.ts';
import type { Lighting } from './lighting.ts';
import type { RunModel } from './run-model.ts';

const ReplayPanel = lazyView(
  'Loading the replay',
  async () => (await import('./replay-panel.tsx')).ReplayPanel,
);

/** Delay after a zoom or drag before the link changes, in milliseconds. */
const REST_MS = 150;

/** The part of a link about the axis. */
type AxisAddress = Pick<RunAddress, 't' | 'mark' | 'fold' | 'axis'>;

/** What is replayed. */
interface ReplayChoice {
  /** Undefined while nothing is. */
  readonly atMs: number | undefined;
  change(atMs: number | undefined, how: 'push' | 'replace'): void;
}

/** The time axis of a run, or of two, with its state in the link. */
export function AxisPanel({
  model,
  address,
  change,
  onOpen,
  lighting,
  replay,
}: {
  readonly model: Pick<RunModel, 'axis' | 'isRunning' | 'evidence'>;
  readonly address: AxisAddress;
  change(changes: Partial<AxisAddress>, how: 'push' | 'replace'): void;
  onOpen(mark: number): void;
  /** Highlights steps for lanes, and lanes for steps. */
  readonly lighting?: Lighting;
  /** The moment of the replay, and how to change it. @default there is no replay */
  readonly replay?: ReplayChoice;
}): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const timeline = useRef<Timeline>(undefined);
  const [shown, setShown] = useState<Timeline>();
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef({ address, change, onOpen, replay });
  latest.current = { address, change, onOpen, replay };
  const view = useMemo(() => viewOf(address, model.axis), [address, model.axis]);
  const canReplay = replay !== undefined && model.axis.marks.length > 0;
  const isOffered = canReplay && replay.atMs === undefined;
  const options: TimelineOptions = {
    axis: model.axis,
    isRunning: model.isRunning,
    evidence: model.evidence,
    view,
    onView: (changed) => {
      clearTimeout(rest.current);
      const { axis, view: shown } = given.current;
      // The link has what the reader has toggled; the same groups stay the same object.
      const fold =
        changed.folded === shown.folded ? latest.current.address.fold : foldedBy(axis, changed.folded);
      const next = addressOf(changed, fold);
      // A choice is a history entry of its own; a zoom or drag changes the link after a delay, together with later choices.
      if (isChoice(next, latest.current.address)) latest.current.change(next, 'push');
      else rest.current = setTimeout(() => latest.current.change({ t: next.t }, 'replace'), REST_MS);
    },
    onOpen: (mark) => latest.current.onOpen(mark),
    ...(lighting !== undefined && { onHover: lighting.lightPlace }),
  };
  const given = useRef(options);
  given.current = options;
  useEffect(() => {
    if (place.current === null) return undefined;
    const made = new Timeline(place.current, given.current);
    timeline.current = made;
    setShown(made);
    return () => {
      clearTimeout(rest.current);
      made.destroy();
    };
  }, []);
  // Everything else of the options follows from these two.
  useEffect(() => timeline.current?.update(given.current), [model, view]);
  useEffect(() => {
    shown?.offerReplay(isOffered ? () => latest.current.replay?.change(0, 'push') : undefined);
  }, [shown, isOffered]);
  useEffect(() => lighting?.subscribe(() => timeline.current?.light(lighting.lanes)), [lighting]);
  return (
    <>
      {canReplay && replay.atMs !== undefined && shown !== undefined ? (
        <ReplayPanel
          timeline={shown}
          axis={model.axis}
          atMs={replay.atMs}
          change={(atMs) => replay.change(atMs, atMs === undefined ? 'push' : 'replace')}
        />
      ) : null}
      <div ref={place} />
    </>
  );
}

function isChoice(next: Partial<AxisAddress>, before: AxisAddress): boolean {
  return next.mark !== before.mark || next.fold !== before.fold || next.axis !== before.axis;
}

function viewOf({ t, mark, fold, axis: shown }: AxisAddress, axis: Axis): TimelineView {
  return { window: t, selected: mark, folded: foldedBy(axis, fold, mark), isTable: shown === 'table' };
}

function addressOf(
  { window, selected, isTable }: TimelineView,
  fold: ReadonlySet<string>,
): Partial<AxisAddress> {
  return { t: window, mark: selected, fold, axis: isTable ? 'table' : 'lanes' };
}
