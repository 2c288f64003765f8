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
  const logs = parsed(answer);
  if (logs === undefined) return [{ pod: '', text: answer }];
  const { mainLogs, chaosLogs } = logs;
  const ofChaos = typeof chaosLogs === 'object' && chaosLogs !== null ? Object.entries(chaosLogs) : [];
  return [
    { pod: '', text: typeof mainLogs === 'string' ? mainLogs : '' },
    ...ofChaos.map(([pod, text]) => ({ pod, text: String(text) })),
  ];
}

function parsed(answer: string): { readonly mainLogs?: unknown; readonly chaosLogs?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(answer);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
