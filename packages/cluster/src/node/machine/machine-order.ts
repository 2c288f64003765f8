/**
 * Modes of the agent of an embedded node. A privileged container orders one; the cluster's machine switches the agent.
 *
 * - `running`: its work.
 * - `stopped`: nothing, as if kubelet were dead or cut off: no heartbeat, no status; what runs goes on running.
 * - `off`: as if the machine had lost its power: what ran is gone, too.
 * - `runtime-stopped`: as if the container runtime were dead: the node says that it is not ready, what runs goes on running, and
 *   nothing is started or stopped.
 */
export type AgentMode = 'running' | 'stopped' | 'off' | 'runtime-stopped';

const STOPPED_MODES: readonly string[] = ['stopped', 'off', 'runtime-stopped'] satisfies AgentMode[];

/** Whether a value is one of the modes in which an agent does not do its work. Pure. */
export function isStoppedMode(value: unknown): value is Exclude<AgentMode, 'running'> {
  return typeof value === 'string' && STOPPED_MODES.includes(value);
}

/** An order to the machine of an embedded node: a privileged container sends it as JSON, and the cluster's machine carries it out. */
export interface MachineOrder {
  readonly mode: AgentMode;
  /** After so long the agent runs again by itself; undefined: only on request. */
  readonly seconds?: number;
}

/** Reads the body of an order; a text is the problem with it. Pure. */
export function parseMachineOrder(text: string): MachineOrder | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'the body is no JSON of at most 4096 bytes';
  }
  if (typeof value !== 'object' || value === null) return 'the body is no object';
  const { mode, seconds } = value as Record<string, unknown>;
  if (mode !== 'running' && !isStoppedMode(mode))
    return 'mode must be running, stopped, off or runtime-stopped';
  if (seconds === undefined) return { mode };
  if (typeof seconds !== 'number' || !(seconds > 0) || seconds > 86_400)
    return 'seconds must be a number above 0, at most 86400';
  return { mode, seconds };
}
