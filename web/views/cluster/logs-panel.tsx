import { type ReactElement, useEffect, useMemo, useRef } from 'react';
import type { RunAddress } from '../../address/run.ts';
import { linesWith } from '../../models/run/log-piece.ts';
import { Panel } from '../../parts/panel/panel.tsx';
import type { ShownPod } from './generated/cluster.ts';
import type { ShownLog } from './use-log.ts';
import './logs-panel.css';

/** Distance to the end, in pixels, within which the view follows the log. */
const NEAR_PX = 40;

/** A pod with a log. */
interface LogPod extends ShownPod {
  /** False: deleted. Null: unknown. Absent: it exists. */
  readonly isThere?: boolean | null;
}

/** The logs of a run's pods, one at a time, loaded on request. */
export function LogsPanel<Pod extends LogPod>({
  pods,
  useLog,
  isLoading = false,
  problem,
  address,
  change,
}: {
  readonly pods: readonly Pod[];
  /** Follows a log; always the same function. */
  readonly useLog: (pod: Pod) => ShownLog;
  readonly isLoading?: boolean;
  /** Why the list of pods is unavailable. */
  readonly problem?: string;
  readonly address: RunAddress;
  change(changes: Partial<RunAddress>, how: 'push' | 'replace'): void;
}): ReactElement {
  const chosen = pods.find(({ name }) => name === address.pod);
  const isGone = chosen?.isThere === false || (address.pod !== '' && chosen === undefined && !isLoading);
  return (
    <section aria-label="Logs">
      <h2>Logs</h2>
      {isLoading ? <div className="waiting" role="status" aria-label="Looking for its pods" /> : null}
      {pods.length === 0 && !isLoading ? (
        <p className="hint">Its pods are gone, and their logs with them.</p>
      ) : null}
      {pods.length === 0 ? null : (
        <div className="filters">
          <select
            aria-label="Pod"
            value={chosen?.name ?? ''}
            onChange={({ target }) => change({ pod: target.value }, 'push')}
          >
            <option value="">Choose one of {pods.length} pods</option>
            {pods.map(({ namespace, name, isThere }) => (
              <option key={`${namespace}/${name}`} value={name}>
                {isThere === false ? `${name} (gone)` : name}
              </option>
            ))}
          </select>
          {chosen === undefined || isGone ? null : (
            <input
              type="search"
              aria-label="Lines with"
              placeholder="Lines with…"
              value={address.find}
              onChange={({ target }) => change({ find: target.value }, 'replace')}
            />
          )}
        </div>
      )}
      {problem === undefined ? null : (
        <p className="hint" role="status">
          The list of pods is unavailable: {problem}.
        </p>
      )}
      {isGone ? (
        <p className="hint" role="status">
          Pod {address.pod} does not exist, and neither does its log.
        </p>
      ) : null}
      {chosen === undefined || isGone ? null : (
        <Panel key={chosen.name} name="The log">
          <Log pod={chosen} useLog={useLog} find={address.find} />
        </Panel>
      )}
    </section>
  );
}

function Log<Pod extends LogPod>({
  pod,
  useLog,
  find,
}: {
  readonly pod: Pod;
  readonly useLog: (pod: Pod) => ShownLog;
  readonly find: string;
}): ReactElement {
  const { lines, isOver, problem } = useLog(pod);
  const shown = useMemo(() => linesWith(lines, find), [lines, find]);
  const found = find === '' ? '' : `${shown.length} of them with “${find}”. `;
  return (
    <>
      <Lines label={`Log of ${pod.name}`} lines={shown} />
      <p className="hint" role="status">
        {found}
        {problem === undefined ? stateOf(lines.length, isOver) : `Cannot read the log: ${problem}`}
      </p>
    </>
  );
}

/** Lines of a log, scrolled to the end unless the reader has scrolled up. */
function Lines({
  label,
  lines,
}: {
  readonly label: string;
  readonly lines: readonly string[];
}): ReactElement {
  const place = useRef<HTMLElement>(null);
  const isFollowing = useRef(true);
  // Each new line is a reason to look at the end.
  useEffect(() => {
    const { current } = place;
    if (current !== null && isFollowing.current) current.scrollTop = current.scrollHeight;
  }, [lines]);
  return (
    <section
      ref={place}
      className="text"
      aria-label={label}
      // oxlint-disable-next-line no-noninteractive-tabindex -- what scrolls has to be reached by the keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isFollowing.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
      }}
    >
      <pre>{lines.join('\n')}</pre>
    </section>
  );
}

function stateOf(lines: number, isOver: boolean): string {
  if (isOver) return lines === 0 ? 'The log is empty.' : `${lines} lines; the log is complete.`;
  return lines === 0 ? 'Nothing is logged yet.' : `${lines} lines; new ones appear as they arrive.`;
}
