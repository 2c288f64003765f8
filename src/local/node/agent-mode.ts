import type { Node } from '../../api/core.ts';

/**
 * Annotation of a Node by which its agent is stopped and started, see {@link AgentMode}. Any other value, or none, means
 * that it runs.
 */
export const AGENT_ANNOTATION = 'turnsole.io/node-agent';

/**
 * What a node's agent does.
 *
 * - `running`: its work.
 * - `stopped`: nothing, as if kubelet were dead or cut off: no heartbeat, no status; what runs goes on running.
 * - `off`: as if the machine had lost its power: what ran is gone, too.
 */
export type AgentMode = 'running' | 'stopped' | 'off';

/** What the Node object says its agent should do; pure. */
export function agentMode({ metadata }: Node): AgentMode {
  const value = metadata.annotations?.[AGENT_ANNOTATION];
  return value === 'stopped' || value === 'off' ? value : 'running';
}

/** Why whoever dials the node's kubelet would fail, in the words of the dialer; undefined when it answers. Pure. */
export function whyUnreachable(node: Node): 'connect: connection refused' | 'i/o timeout' | undefined {
  switch (agentMode(node)) {
    case 'running':
      return undefined;
    // The machine is there, and nobody listens.
    case 'stopped':
      return 'connect: connection refused';
    case 'off':
      return 'i/o timeout';
  }
}
