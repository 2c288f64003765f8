import { CommandError } from '../../services/errors.ts';
import type { RemoteClient } from '../remote/remote-client.ts';

const INFRA = `query ($p: ID!, $i: String!) { getInfra(projectID: $p, infraID: $i) { isActive isInfraConfirmed version } }`;
/** Other servers do not tell of it over a POST. */
const ASK_MS = 1_000;

/** What is waited for. */
export interface AwaitedAgent {
  readonly projectID: string;
  readonly infraID: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Waits until the agent of an infrastructure is connected.
 *
 * @returns its version
 * @throws CommandError when that takes longer than `timeoutMs`
 */
export async function awaitAgent(client: RemoteClient, awaited: AwaitedAgent): Promise<string> {
  const { projectID: p, infraID: i, timeoutMs, signal, sleep } = awaited;
  const late = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let confirmed = false;
  while (!late.aborted) {
    const { getInfra } = await client.graphql<{
      getInfra: { isActive: boolean; isInfraConfirmed: boolean; version: string };
    }>(INFRA, { p, i }, signal);
    if (getInfra.isActive) return getInfra.version;
    confirmed = getInfra.isInfraConfirmed;
    await sleep(ASK_MS, late).catch(() => {});
  }
  signal.throwIfAborted();
  const state = confirmed ? 'it has confirmed itself, and is not connected' : 'it has not been heard of';
  throw new CommandError(
    `the agent was not connected within ${Math.round(timeoutMs / 1000)} s: ${state}; ` +
      'see the log of the Deployment subscriber, and whether its pod reaches the server',
    'AGENT_NOT_CONNECTED',
  );
}
