import type { Node } from '@turnsole/kube/kinds/core';
import { type AgentMode, isStoppedMode } from './machine/machine-order.ts';

/**
 * Annotation of a Node by which its agent is stopped and started, see {@link AgentMode}. Any other value, or none, means
 * that it runs.
 */
export const AGENT_ANNOTATION = 'turnsole.io/node-agent';

/**
 * Annotation beside it: the time (RFC 3339) from which the agent runs again by itself. A process that stops an agent for a while
 * keeps postponing that time, so that no node stays stopped when the process has died.
 */
export const AGENT_UNTIL_ANNOTATION = 'turnsole.io/node-agent-until';

/** The mode of a node's agent, by the Node object; pure. */
export function agentMode({ metadata }: Node): AgentMode {
  const value = metadata.annotations?.[AGENT_ANNOTATION];
  return isStoppedMode(value) ? value : 'running';
}

/** When a stopped agent is to run again by itself, in milliseconds since 1970; undefined: only on request. Pure. */
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

/** Why dialling the node's kubelet would fail, in the words of the dialer; undefined when it answers. Pure. */
export function whyUnreachable(node: Node): 'connect: connection refused' | 'i/o timeout' | undefined {
  switch (agentMode(node)) {
    // Running pods have their logs, also while nothing new may start.
    case 'running':
    case 'runtime-stopped':
      return undefined;
    // The machine answers, and no kubelet listens on the port.
    case 'stopped':
      return 'connect: connection refused';
    case 'off':
      return 'i/o timeout';
  }
}
