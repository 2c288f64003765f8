import { useEffect, useState } from 'react';
import type { LogLine } from '../../../src/services/report/log-line.ts';
import { watch } from '../../api/live.ts';
import { addLines } from '../../models/run/log-piece.ts';
import type { ShownPod } from './generated/cluster.ts';
import { POD_LOG } from './generated/cluster.ts';

/** Shown lines of a log; a longer one is cut to its end. */
export const MOST_LINES = 10_000;

/** A log in the view. */
export interface ShownLog {
  readonly lines: readonly LogLine[];
  /** Bytes before them that are not kept; 0 for a log that is read as a whole. */
  readonly leftOutBytes: number;
  /** Whether the log is complete, because the pod has ended. */
  readonly isOver: boolean;
  readonly problem: string | undefined;
}

export const NOTHING: ShownLog = { lines: [], leftOutBytes: 0, isOver: false, problem: undefined };

/** The growing log of a pod. After a disconnection the server sends it again from the start, so earlier lines are dropped. */
export function useClusterLog({ namespace, name, container }: ShownPod): ShownLog {
  const [log, setLog] = useState(NOTHING);
  useEffect(() => {
    setLog(NOTHING);
    return watch(
      POD_LOG,
      { namespace, pod: name, container },
      {
        onData: ({ watchClusterPodLog }) =>
          setLog((before) => ({
            ...before,
            lines: addLines(before.lines, watchClusterPodLog.map((line) => `${line}\n`).join(''), MOST_LINES),
          })),
        onConnection: ({ state }) => {
          if (state === 'catching-up') setLog(NOTHING);
        },
        onProblem: ({ message }) => setLog((before) => ({ ...before, problem: message, isOver: true })),
        onEnd: () => setLog((before) => ({ ...before, isOver: true })),
      },
    );
  }, [namespace, name, container]);
  return log;
}
