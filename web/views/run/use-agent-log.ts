import { useEffect, useState } from 'react';
import { watch } from '../../api/live.ts';
import { addLines, readLogPiece } from '../../models/run/log-piece.ts';
import { MOST_LINES, NOTHING, type ShownLog } from '../cluster/use-log.ts';
import { AGENT_LOG, type ShownRunPod } from './generated/run.ts';

/** A pod, and the infrastructure whose agent reads its log. */
interface AgentPod extends ShownRunPod {
  readonly infraID: string;
  readonly runID: string;
}

/** The log of a pod from its agent, including new lines. After a disconnection it is sent again, so earlier lines are dropped. */
export function useAgentLog({ namespace, name, container, infraID, runID }: AgentPod): ShownLog {
  const [log, setLog] = useState(NOTHING);
  useEffect(() => {
    setLog(NOTHING);
    const pod =
      container === null
        ? ofEngine(namespace, name)
        : { podName: name, podNamespace: namespace, podType: 'Pod', container };
    const how = { pieces: true, follow: true, tailLines: MOST_LINES };
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
  }, [namespace, name, container, infraID, runID]);
  return log;
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
