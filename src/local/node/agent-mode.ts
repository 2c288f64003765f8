import type { Node } from '../../api/core.ts';

/**
 * Annotation of a Node by which its agent is stopped and started, see {@link AgentMode}. Any other value, or none, means
 * that it runs.
 */
export const AGENT_ANNOTATION = 'turnsole.io/node-agent';

/**
 * Annotation beside it that says until when (RFC 3339); from then on the agent runs again by itself. What stops an agent for a
 * while moves it along as long as it lives: so no node stays behind stopped when whoever stopped it is gone.
 */
export const AGENT_UNTIL_ANNOTATION = 'turnsole.io/node-agent-until';

/**
 * What a node's agent does.
 *
 * - `running`: its work.
 * - `stopped`: nothing, as if kubelet were dead or cut off: no heartbeat, no status; what runs goes on running.
 * - `off`: as if the machine had lost its power: what ran is gone, too.
 * - `runtime-stopped`: as if the container runtime were dead: the node says that it is not ready, what runs goes on running, and
 *   nothing is started or stopped.
 */
export type AgentMode = 'running' | 'stopped' | 'off' | 'runtime-stopped';

const STOPPED_MODES: readonly string[] = ['stopped', 'off', 'runtime-stopped'] satisfies AgentMode[];

/** Whether a text is one of the modes in which an agent does not do its work. Pure. */
export function isStoppedMode(value: unknown): value is Exclude<AgentMode, 'running'> {
  return typeof value === 'string' && STOPPED_MODES.includes(value);
}

/** What the Node object says its agent should do; pure. */
export function agentMode({ metadata }: Node): AgentMode {
  const value = metadata.annotations?.[AGENT_ANNOTATION];
  return isStoppedMode(value) ? value : 'running';
}

/** When a stopped agent is to run again by itself, in milliseconds since 1970; undefined: when somebody says so. Pure. */
export function agentUntilMs(node: Node): number | undefined {
  if (agentMode(node) === 'running') return undefined;
  const until = Date.parse(node.metadata.annotations?.[AGENT_UNTIL_ANNOTATION] ?? '');
  return Number.isNaN(until) ? undefined : until;
}

/** The annotations, as a merge patch has them, that put an agent into a mode. Pure. */
export function agentAnnotations(mode: AgentMode, untilMs?: number): Record<string, string | null> {
  const isRunning = mode === 'running';
  return {
    [AGENT_ANNOTATION]: isRunning ? null : mode,
    [AGENT_UNTIL_ANNOTATION]: isRunning || untilMs === undefined ? null : new Date(untilMs).toISOString(),
  };
}

/** Why whoever dials the node's kubelet would fail, in the words of the dialer; undefined when it answers. Pure. */
export function whyUnreachable(node: Node): 'connect: connection refused' | 'i/o timeout' | undefined {
  switch (agentMode(node)) {
    case 'running':
    // What runs has its logs, whoever may start something new.
    case 'runtime-stopped':
      return undefined;
    // The machine is there, and nobody listens.
    case 'stopped':
      return 'connect: connection refused';
    case 'off':
      return 'i/o timeout';
  }
}
