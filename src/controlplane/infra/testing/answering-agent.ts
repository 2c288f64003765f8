import type { TestAgent, TestServer } from '../../server/testing/test-server.ts';
import { AgentSocket } from './agent-socket.ts';
import { untilChanged } from './until.ts';

/** An agent that is connected and has said which requests beyond ChaosCenter's it answers: the server knows it already. */
export async function answeringAgent(
  server: TestServer,
  project: string,
  agent: TestAgent,
  types: readonly string[],
): Promise<AgentSocket> {
  const answers = JSON.stringify(types);
  const socket = await AgentSocket.connect(await server.listen(), agent, { more: `, answers: ${answers}` });
  const { store } = server.plane;
  await untilChanged(
    store,
    project,
    () =>
      store.read
        .selectFrom('infras')
        .select('answers')
        .where('id', '=', agent.infraID)
        .executeTakeFirstOrThrow(),
    (row) => row.answers === answers,
  );
  return socket;
}
