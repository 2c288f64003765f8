import { type ReactElement, useEffect, useRef } from 'react';
import type { RunAddress } from '../../address/run.ts';
import { Panel } from '../../parts/panel/panel.tsx';
import type { ShownPod } from './cluster-query.ts';
import { useLog } from './use-log.ts';

/** A reader who is nearer to the end than this follows it, in pixels. */
const NEAR_PX = 40;

/** The logs of a run's pods: one at a time, and none before it is asked for. */
export function LogsPanel({
  pods,
  address,
  change,
}: {
  readonly pods: readonly ShownPod[];
  readonly address: RunAddress;
  change(changes: Partial<RunAddress>, how: 'push' | 'replace'): void;
}): ReactElement {
  const chosen = pods.find(({ name }) => name === address.pod);
  const isGone = address.pod !== '' && chosen === undefined;
  return (
    <section aria-label="Logs">
      <h2>Logs</h2>
      {pods.length === 0 ? (
        <p className="hint">None of its pods is there, and with a pod its log goes.</p>
      ) : (
        <div className="filters">
          <select
            aria-label="Pod"
            value={chosen?.name ?? ''}
            onChange={({ target }) => change({ pod: target.value }, 'push')}
          >
            <option value="">Choose one of {pods.length} pods</option>
            {pods.map(({ namespace, name }) => (
              <option key={`${namespace}/${name}`} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
      )}
      {isGone ? (
        <p className="hint" role="status">
          Pod {address.pod} is not there, or not any more.
        </p>
      ) : null}
      {chosen === undefined ? null : (
        <Panel key={chosen.name} name="The log">
          <Log pod={chosen} />
        </Panel>
      )}
    </section>
  );
}

function Log({ pod }: { readonly pod: ShownPod }): ReactElement {
  const { lines, isOver, problem } = useLog(pod);
  return (
    <>
      <Lines label={`Log of ${pod.name}`} lines={lines} />
      <p className="hint" role="status">
        {problem === undefined ? stateOf(lines.length, isOver) : `Cannot read the log: ${problem}`}
      </p>
    </>
  );
}

/** Lines of which the end is in sight, unless the reader has gone up. */
function Lines({
  label,
  lines,
}: {
  readonly label: string;
  readonly lines: readonly string[];
}): ReactElement {
  const place = useRef<HTMLElement>(null);
  const isFollowing = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new line is a reason to look at the end
  useEffect(() => {
    const { current } = place;
    if (current !== null && isFollowing.current) current.scrollTop = current.scrollHeight;
  }, [lines]);
  return (
    <section
      ref={place}
      className="text"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
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
  if (isOver) return lines === 0 ? 'The log is empty.' : `${lines} lines; nothing more comes.`;
  return lines === 0 ? 'Nothing is logged yet.' : `${lines} lines; further ones appear as they come.`;
}
