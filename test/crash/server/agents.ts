import { once } from 'node:events';
import { until } from '@turnsole/kube/testing/until';
import { WebSocket } from 'ws';
import type { RemoteClient } from '../../../src/cli/remote/remote-client.ts';
import type { Estate } from './estate.ts';

const STATS = `query ($p: ID!) { getInfraStats(projectID: $p) { totalActiveInfrastructure } }`;
/** Dialled at the same time. */
const PIECE = 50;

/** Agents that are connected. */
interface ConnectedAgents {
  /** In the order of the agents. */
  readonly sockets: readonly WebSocket[];
  close(): void;
}

/** Connects all agents, each by a websocket of its own, and waits until the server says that they are. */
export async function connectAgents(
  client: RemoteClient,
  { project, agents }: Estate,
): Promise<ConnectedAgents> {
  const sockets: WebSocket[] = [];
  for (let from = 0; from < agents.length; from += PIECE) {
    const piece = agents.slice(from, from + PIECE);
    sockets.push(...(await Promise.all(piece.map((agent) => connectAgent(client.url, agent)))));
  }
  const areActive = async (): Promise<boolean> => {
    const { getInfraStats } = await client.graphql<{ getInfraStats: { totalActiveInfrastructure: number } }>(
      STATS,
      {
        p: project,
      },
    );
    return getInfraStats.totalActiveInfrastructure === agents.length;
  };
  await until(areActive, 'agents are not active');
  const close = (): void => {
    for (const socket of sockets) socket.terminate();
  };
  return { sockets, close };
}

async function connectAgent(
  url: string,
  { infraID, accessKey, version }: Estate['agents'][number],
): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/query`, 'graphql-ws');
  await once(socket, 'open');
  // Its server may be killed.
  socket.on('error', () => {});
  socket.send(JSON.stringify({ type: 'connection_init', payload: {} }));
  await once(socket, 'message');
  const query = `subscription { infraConnect(request: { infraID: "${infraID}", accessKey: "${accessKey}", version: "${version}" }) { action { requestType } } }`;
  socket.send(JSON.stringify({ type: 'start', id: '1', payload: { query } }));
  return socket;
}
