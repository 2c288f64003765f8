import { useEffect, useState } from 'react';
import { watch } from '../../api/live.ts';
import { plainLog } from '../../models/words/plain.ts';
import type { ShownPod } from './cluster-query.ts';
import { POD_LOG } from './cluster-query.ts';

/** Of a longer log the end is shown. */
export const MOST_LINES = 10_000;

/** What is shown of a log. */
export interface ShownLog {
  readonly lines: readonly string[];
  /** Whether nothing more comes: the pod has ended. */
  readonly isOver: boolean;
  readonly problem: string | undefined;
}

export const NOTHING: ShownLog = { lines: [], isOver: false, problem: undefined };

/** The log of a pod as it grows. After a break it comes anew from its beginning, so what was there goes. */
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
            lines: [...before.lines, ...watchClusterPodLog.map(plainLog)].slice(-MOST_LINES),
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
