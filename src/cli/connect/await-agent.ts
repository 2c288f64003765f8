import { CommandError } from '../../services/errors.ts';
import { askUntil, type Patience } from '../remote/ask-until.ts';
import type { RemoteClient } from '../remote/remote-client.ts';

const INFRA = `query ($p: ID!, $i: String!) { getInfra(projectID: $p, infraID: $i) { isActive isInfraConfirmed version } }`;

/** The agent to wait for. */
interface AwaitedAgent extends Patience {
  readonly projectID: string;
  readonly infraID: string;
  /** What keeps its pod from working, where that is known. */
  readonly trouble: () => Promise<string | undefined>;
  /** Called with each new trouble while the agent is waited for. */
  readonly onTrouble: (trouble: string) => void;
}

/**
 * Waits until the agent of an infrastructure is connected.
 *
 * @returns its version
 * @throws CommandError when that takes longer than `timeoutMs`
 */
export async function awaitAgent(client: RemoteClient, awaited: AwaitedAgent): Promise<string> {
  const { projectID: p, infraID: i, timeoutMs, signal, onTrouble } = awaited;
  let confirmed = false;
  let trouble: string | undefined;
  const ask = async (): Promise<string | undefined> => {
    const { getInfra } = await client.graphql<{
      getInfra: { isActive: boolean; isInfraConfirmed: boolean; version: string };
    }>(INFRA, { p, i }, signal);
    if (getInfra.isActive) return getInfra.version;
    confirmed = getInfra.isInfraConfirmed;
    // A cluster that does not answer here is no reason to stop waiting.
    const now = await awaited.trouble().catch(() => undefined);
    if (now !== undefined && now !== trouble) onTrouble(now);
    trouble = now;
    return undefined;
  };
  const version = await askUntil(ask, awaited);
  if (version !== undefined) return version;
  const state = confirmed ? 'it has confirmed itself, and is not connected' : 'it has not been heard of';
  throw new CommandError(
    `the agent was not connected within ${Math.round(timeoutMs / 1000)} s: ${trouble ?? state}; ` +
      'see the log of its pod (label app=subscriber), and whether that pod reaches the server',
    'AGENT_NOT_CONNECTED',
  );
}
