import { type ReactElement, useEffect, useRef } from 'react';
import type { Axis } from '../../models/timeline/axis.ts';
import { ReplayPlayer } from '../../parts/replay/replay.ts';
import type { Timeline } from '../../parts/timeline/timeline.ts';
import '../../parts/replay/replay.css';

/** The replay of a run above its time axis, with its moment in the link. */
export function ReplayPanel({
  timeline,
  axis,
  atMs,
  change,
}: {
  readonly timeline: Timeline;
  readonly axis: Axis;
  readonly atMs: number;
  /** Called with another moment; with none when the reader closes it. */
  change(atMs: number | undefined): void;
}): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const player = useRef<ReplayPlayer>(undefined);
  const latest = useRef(change);
  latest.current = change;
  const options = {
    ...{ axis, atMs },
    onMoment: (moment: number) => latest.current(moment),
    onClose: () => latest.current(undefined),
  };
  const given = useRef(options);
  given.current = options;
  useEffect(() => {
    if (place.current === null) return undefined;
    const made = new ReplayPlayer(place.current, timeline, given.current);
    player.current = made;
    return () => made.destroy();
  }, [timeline]);
  useEffect(() => player.current?.update(given.current), [axis, atMs]);
  return <div ref={place} />;
}
