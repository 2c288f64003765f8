import { useEffect, useState } from 'react';
import type { LogLine } from '../../../src/services/report/log-line.ts';
import { ask } from '../../api/client.ts';
import { watch } from '../../api/live.ts';
import { addLines, readLogPiece } from '../../models/run/log-piece.ts';
import { AGENT_LOG, KEPT_LOG, type ShownRunPod } from './generated/run.ts';

/** Shown lines of a log; a longer one is cut to its end. */
const MOST_LINES = 10_000;

/** A log in the view. */
export interface ShownLog {
  readonly lines: readonly LogLine[];
  /** Bytes before them that are not kept; 0 for a log that is read as a whole. */
  readonly leftOutBytes: number;
  /** Whether the log is complete, because the pod has ended. */
  readonly isOver: boolean;
  readonly problem: string | undefined;
}

const NOTHING: ShownLog = { lines: [], leftOutBytes: 0, isOver: false, problem: undefined };

/** A pod, its run, and the infrastructure whose agent reads its log. */
interface RunPod extends ShownRunPod {
  readonly infraID: string;
  readonly runID: string;
  readonly project: string;
}

/** The log of a pod: from its agent while the pod is there, including new lines; otherwise what is kept with the run. */
export function useRunLog(pod: RunPod): ShownLog {
  const [log, setLog] = useState(NOTHING);
  const { namespace, name, container, infraID, runID, project } = pod;
  const isKept = pod.isKept && pod.isThere !== true;
  useEffect(() => {
    setLog(NOTHING);
    const about = { namespace, name, container, infraID, runID, project };
    return isKept ? readKept(about, setLog) : followAgent(about, setLog);
  }, [namespace, name, container, infraID, runID, project, isKept]);
  return log;
}

type About = Omit<RunPod, 'isThere' | 'isKept'>;
type SetLog = (change: ShownLog | ((before: ShownLog) => ShownLog)) => void;

/** @returns ends it */
function readKept({ namespace, name, runID, project }: About, setLog: SetLog): () => void {
  const left = new AbortController();
  ask(KEPT_LOG, { projectID: project, runID, namespace, pod: name }, left.signal).then(
    ({ getRunPodLog: kept }) =>
      setLog({
        lines: addLines([], kept?.text ?? '', MOST_LINES),
        leftOutBytes: kept?.leftOutBytes ?? 0,
        isOver: true,
        problem: kept === null ? 'it is kept no longer' : undefined,
      }),
    (error: unknown) => {
      if (left.signal.aborted) return;
      setLog({ ...NOTHING, isOver: true, problem: error instanceof Error ? error.message : String(error) });
    },
  );
  return () => left.abort();
}

/** After a disconnection the log is sent again, so earlier lines are dropped. @returns ends it */
function followAgent({ namespace, name, container, infraID, runID }: About, setLog: SetLog): () => void {
  const pod =
    container === null
      ? ofEngine(namespace, name)
      : { podName: name, podNamespace: namespace, podType: 'Pod', container };
  const how = { pieces: true, follow: true, timestamps: true, tailLines: MOST_LINES };
  return watch(
    AGENT_LOG,
    { request: { infraID, experimentRunID: runID, ...pod, ...how } },
    {
      onData: ({ getPodLog }) => {
        const { text, problem } = readLogPiece(getPodLog.log);
        setLog((before) => ({
          ...before,
          lines: addLines(before.lines, text, MOST_LINES),
          ...(problem !== undefined && { problem, isOver: true }),
        }));
      },
      onConnection: ({ state }) => {
        if (state === 'catching-up') setLog(NOTHING);
      },
      onProblem: ({ message }) => setLog((before) => ({ ...before, problem: message, isOver: true })),
      onEnd: () => setLog((before) => ({ ...before, isOver: true })),
    },
  );
}

/** A pod known by name only: agents that cannot list pods read it like one of an engine, whatever its container's name. */
function ofEngine(namespace: string, name: string) {
  return {
    podName: '',
    podNamespace: namespace,
    podType: 'ChaosEngine',
    expPod: name,
    chaosNamespace: namespace,
  };
}
