import { type ReactElement, useMemo } from 'react';
import type { RunAddress } from '../../address/run.ts';
import { choosePod, isReadable } from '../../models/run/choose-pod.ts';
import { linesWith } from '../../models/run/log-piece.ts';
import { Panel } from '../../parts/panel/panel.tsx';
import { LogLines } from './log-lines.tsx';
import type { ShownLog } from './use-run-log.ts';
import './logs-panel.css';

/** A pod with a log. */
interface LogPod {
  readonly namespace: string;
  readonly name: string;
  readonly container: string | null;
  /** False: deleted. Null: unknown. */
  readonly isThere: boolean | null;
  /** Whether the end of its log is kept. */
  readonly isKept: boolean;
}

const LEVELS = [
  ['all', 'All lines'],
  ['warn', 'Warnings and errors'],
  ['error', 'Errors'],
] as const;

/** The logs of a run's pods, one at a time; at first that of the latest pod that has one. */
export function LogsPanel<Pod extends LogPod>({
  pods,
  useLog,
  isRunning,
  startMs,
  isLoading = false,
  problem,
  address,
  change,
}: {
  readonly pods: readonly Pod[];
  /** Follows a log; always the same function. */
  readonly useLog: (pod: Pod) => ShownLog;
  /** Whether more pods may come. */
  readonly isRunning: boolean;
  /** Begin of the run. */
  readonly startMs: number;
  readonly isLoading?: boolean;
  /** Why the list of pods is unavailable. */
  readonly problem?: string;
  readonly address: RunAddress;
  change(changes: Partial<RunAddress>, how: 'push' | 'replace'): void;
}): ReactElement {
  const chosen = choosePod(pods, address.pod);
  const isShown = chosen !== undefined && isReadable(chosen);
  const lost = pods.filter((pod) => !isReadable(pod)).length;
  return (
    <section aria-label="Logs">
      <h2>Logs</h2>
      {isLoading ? <div className="waiting" role="status" aria-label="Looking for its pods" /> : null}
      {pods.length === 0 && !isLoading ? (
        <p className="hint">{isRunning ? 'No pod of it has begun yet.' : 'No log of it is kept.'}</p>
      ) : null}
      {pods.length === lost ? null : (
        <div className="filters">
          <select
            aria-label="Pod"
            value={chosen?.name ?? ''}
            onChange={({ target }) => change({ pod: target.value }, 'push')}
          >
            {chosen === undefined ? <option value="">Choose a pod</option> : null}
            {pods.map((pod) => (
              <option key={`${pod.namespace}/${pod.name}`} value={pod.name}>
                {nameOf(pod)}
              </option>
            ))}
          </select>
          {isShown ? <LineFilters address={address} change={change} /> : null}
        </div>
      )}
      {problem === undefined ? null : (
        <p className="hint" role="status">
          The list of pods is unavailable: {problem}.
        </p>
      )}
      {isShown || isLoading || pods.length === 0 ? null : (
        <p className="hint" role="status">
          {whyNone(address.pod, lost)}
        </p>
      )}
      {isShown ? (
        <Panel key={chosen.name} name="The log">
          <Log pod={chosen} useLog={useLog} address={address} startMs={startMs} />
        </Panel>
      ) : null}
    </section>
  );
}

function LineFilters({
  address: { level, find },
  change,
}: {
  readonly address: RunAddress;
  change(changes: Partial<RunAddress>, how: 'push' | 'replace'): void;
}): ReactElement {
  return (
    <>
      <select
        aria-label="Level"
        value={level}
        onChange={({ target }) => {
          const wanted = LEVELS.find(([value]) => value === target.value);
          if (wanted !== undefined) change({ level: wanted[0] }, 'push');
        }}
      >
        {LEVELS.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
      <input
        type="search"
        aria-label="Lines with"
        placeholder="Lines with…"
        value={find}
        onChange={({ target }) => change({ find: target.value }, 'replace')}
      />
    </>
  );
}

/** A pod in the list: deleted ones say whether their log is kept. */
function nameOf({ name, isThere, isKept }: LogPod): string {
  if (isThere !== false) return name;
  return isKept ? `${name} (kept)` : `${name} (gone)`;
}

function whyNone(named: string, lost: number): string {
  if (named !== '') return `Pod ${named} does not exist, and no log of it is kept.`;
  return `Its ${lost === 1 ? 'pod is' : `${lost} pods are`} gone, and no log of ${lost === 1 ? 'it' : 'them'} is kept.`;
}

function Log<Pod extends LogPod>({
  pod,
  useLog,
  address: { find, level },
  startMs,
}: {
  readonly pod: Pod;
  readonly useLog: (pod: Pod) => ShownLog;
  readonly address: RunAddress;
  readonly startMs: number;
}): ReactElement {
  const { lines, leftOutBytes, isOver, problem } = useLog(pod);
  const shown = useMemo(() => linesWith(lines, find, level), [lines, find, level]);
  const isKept = pod.isKept && pod.isThere !== true;
  const state = isKept ? keptState(lines.length, leftOutBytes, isOver) : stateOf(lines.length, isOver);
  return (
    <>
      <LogLines label={`Log of ${pod.name}`} lines={shown} startMs={startMs} />
      <p className="hint" role="status">
        {foundWords(shown.length, find, level)}
        {problem === undefined ? state : `Cannot read the log: ${problem}`}
      </p>
    </>
  );
}

function foundWords(count: number, find: string, level: RunAddress['level']): string {
  if (find === '' && level === 'all') return '';
  const words = LEVELS.find(([value]) => value === level)?.[1] ?? '';
  const wanted = [level === 'all' ? '' : words.toLowerCase(), find === '' ? '' : `with “${find}”`];
  return `${count} of them ${level === 'all' ? '' : 'are '}${wanted.filter((part) => part !== '').join(' ')}. `;
}

function keptState(lines: number, leftOutBytes: number, isOver: boolean): string {
  if (!isOver) return 'Reading what is kept of it.';
  const before = leftOutBytes === 0 ? '' : `; ${leftOutBytes} bytes before them are not kept`;
  return `The pod is gone; ${lineWords(lines)} of its log ${lines === 1 ? 'is' : 'are'} kept with the run${before}.`;
}

function lineWords(count: number): string {
  return `${count} ${count === 1 ? 'line' : 'lines'}`;
}

function stateOf(lines: number, isOver: boolean): string {
  if (isOver) return lines === 0 ? 'The log is empty.' : `${lineWords(lines)}; the log is complete.`;
  return lines === 0 ? 'Nothing is logged yet.' : `${lineWords(lines)}; new ones appear as they arrive.`;
}
