import { type AgentMode, isStoppedMode } from '../agent-mode.ts';

/** What a machine is told to do with a node's agent. */
export interface MachineOrder {
  readonly mode: AgentMode;
  /** After so long the agent runs again by itself; undefined: when somebody says so. */
  readonly seconds?: number;
}

/** Reads the body of an order; a text says what is wrong with it. Pure. */
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
