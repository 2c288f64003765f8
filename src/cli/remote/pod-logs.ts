import { parseObject } from '../../text/json.ts';

/** One pod's log, and what it is. */
interface NamedLog {
  /** Empty for the pod that was asked for. */
  readonly pod: string;
  readonly text: string;
}

/**
 * The logs in an agent's answer: JSON with the main container's and, for a step that made an engine, those of its pods. What is no such
 * JSON is a sentence of the agent or of the server. Pure.
 */
export function podLogs(answer: string): readonly NamedLog[] {
  const logs = parseObject(answer);
  if (logs === undefined) return [{ pod: '', text: answer }];
  const { mainLogs, chaosLogs } = logs;
  const ofChaos = typeof chaosLogs === 'object' && chaosLogs !== null ? Object.entries(chaosLogs) : [];
  return [
    { pod: '', text: typeof mainLogs === 'string' ? mainLogs : '' },
    ...ofChaos.map(([pod, text]) => ({ pod, text: String(text) })),
  ];
}
