import { AGENT_ANNOTATION, agentAnnotations } from '@turnsole/cluster/node/agent-mode';
import { isEmbeddedNode } from '@turnsole/cluster/node/machine/embedded-node';
import type { AgentMode } from '@turnsole/cluster/node/machine/machine-order';
import { isNotFound } from '@turnsole/kube/client/errors';
import type { Node } from '@turnsole/kube/kinds/core';
import { NODES } from '@turnsole/kube/kinds/resources';
import { type ClusterOptions, openExisting } from '../../runs/session/open-cluster.ts';
import { CommandError } from '../../services/errors.ts';

/** Options of `turnsole node`, as the command line gives them. */
export interface NodeOptions extends Pick<ClusterOptions, 'kubeconfig' | 'context'> {
  readonly powerOff?: boolean;
}

/**
 * Stops or starts the agent of a node of an embedded cluster: its node becomes NotReady as if kubelet had died or, with
 * `--power-off`, as if the machine had.
 */
export async function run(action: 'stop' | 'start', name: string, options: NodeOptions): Promise<number> {
  const session = await openExisting(options);
  const mode: AgentMode = action === 'start' ? 'running' : options.powerOff === true ? 'off' : 'stopped';
  try {
    if (!isEmbeddedNode(await session.client.get<Node>(NODES, name))) {
      const message = `node ${name} is not one of an embedded cluster: nothing there follows the annotation ${AGENT_ANNOTATION}`;
      throw new CommandError(message, 'NOT_EMBEDDED');
    }
    const patch = { metadata: { annotations: agentAnnotations(mode) } };
    await session.client.patch<Node>(NODES, name, 'merge', patch);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new CommandError(`there is no node ${name}; "kubectl get nodes" lists them`, 'NOT_FOUND', {
      cause: error,
    });
  } finally {
    await session.close();
  }
  console.log(
    mode === 'running'
      ? `node ${name} is starting`
      : `node ${name} is ${mode}; it becomes NotReady in about 40 s`,
  );
  return 0;
}
