import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactElement, useEffect, useRef } from 'react';
import type { LogLine } from '../../../src/services/report/log-line.ts';
import { offsetWords } from '../../models/timeline/describe.ts';
import { exactWords } from '../../models/words/time.ts';

/** Distance to the end, in pixels, within which the view follows the log. */
const NEAR_PX = 40;
/** Height of a line that is not broken, in pixels. */
const LINE_PX = 20;
/** Beyond this number, only lines near the view are rendered. */
const MOST_AT_ONCE = 300;

/** Lines of a log with their times and levels, scrolled to the end unless the reader has scrolled up. */
export function LogLines({
  label,
  lines,
  startMs,
}: {
  readonly label: string;
  readonly lines: readonly LogLine[];
  /** Begin of the run: times are those after it. */
  readonly startMs: number;
}): ReactElement {
  const place = useRef<HTMLElement>(null);
  const isFollowing = useRef(true);
  const isLong = lines.length > MOST_AT_ONCE;
  const near = useVirtualizer({
    count: isLong ? lines.length : 0,
    getScrollElement: () => place.current,
    estimateSize: () => LINE_PX,
    overscan: 40,
  });
  // Each new line is a reason to look at the end.
  useEffect(() => {
    const { current } = place;
    if (current === null || !isFollowing.current) return;
    if (isLong) near.scrollToIndex(lines.length - 1, { align: 'end' });
    else current.scrollTop = current.scrollHeight;
  }, [lines, isLong, near]);
  const items = near.getVirtualItems();
  const [first, end] = isLong ? [items[0]?.index ?? 0, (items.at(-1)?.index ?? -1) + 1] : [0, lines.length];
  const hasLevels = lines.some(({ level }) => level !== undefined);
  const hasTimes = lines.some(({ atMs }) => atMs !== undefined);
  return (
    <section
      ref={place}
      className="log"
      aria-label={label}
      data-levels={hasLevels}
      data-times={hasTimes}
      // oxlint-disable-next-line no-noninteractive-tabindex -- what scrolls has to be reached by the keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isFollowing.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
      }}
    >
      <div style={isLong ? { paddingTop: items[0]?.start ?? 0, height: near.getTotalSize() } : undefined}>
        {lines.slice(first, end).map(({ atMs, level, text }, offset) => {
          const index = first + offset;
          return (
            <div
              key={index}
              className="log-line"
              data-index={index}
              data-level={level}
              ref={isLong ? near.measureElement : undefined}
            >
              {hasTimes ? (
                <time title={atMs === undefined ? undefined : exactWords(atMs)}>
                  {atMs === undefined ? '' : offsetWords(atMs - startMs)}
                </time>
              ) : null}
              {hasLevels ? <span className="log-level">{level ?? ''}</span> : null}
              <span className="log-text">{text}</span>
            </div>
          );
        })}
      </div>
    </section>
  );
}
