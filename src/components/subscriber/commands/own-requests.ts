import { messageOf } from '@turnsole/kube/text/error-message';
import { parseObject } from '@turnsole/kube/text/json';
import type { ControlPlaneClient } from '../../../agent-link/client.ts';
import type { InfraIdentity } from '../../../agent-link/settings.ts';
import { toOutcome } from './answer-outcome.ts';
import type { Command } from './dispatcher.ts';
import { refused } from './outcome.ts';

/** The unchecked data of a request. */
type RequestData = Readonly<Record<string, unknown>>;

/**
 * Answers requests of one type of our own: what it resolves to becomes JSON.
 * @throws Error whose message becomes the answer
 */
export type OwnRequest = (data: RequestData, signal: AbortSignal) => Promise<object>;

/** What sending answers needs. */
export interface ReplyContext {
  readonly server: Pick<ControlPlaneClient, 'send'>;
  readonly identity: () => InfraIdentity;
}

/** By type, in lower case: what the agent says that it answers. */
export type OwnRequests = Readonly<Record<string, OwnRequest>>;

const REPLY = `mutation AgentReply($request: AgentReply!) { agentReply(request: $request) }`;

/** The command of a request of our own: its answer, or why it has none, goes to the server as `agentReply`. */
export function ownRequest(answer: OwnRequest, { server, identity }: ReplyContext): Command {
  return {
    keyOf: ({ requestID }) => `request ${requestID}`,
    isChange: false,
    run: async ({ requestID, externalData }, signal) => {
      const reply = await replyOf(answer, externalData, signal);
      const request = { infraID: identity(), requestID, reply: JSON.stringify(reply) };
      const answered = toOutcome(
        await server.send({ query: REPLY, variables: { request } }, signal),
        'answered',
      );
      return reply.problem === undefined ? answered : refused(reply.problem);
    },
  };
}

async function replyOf(
  answer: OwnRequest,
  externalData: string,
  signal: AbortSignal,
): Promise<{ readonly answer?: object; readonly problem?: string }> {
  const data = parseObject(externalData);
  if (data === undefined) return { problem: 'externalData is no JSON object' };
  try {
    return { answer: await answer(data, signal) };
  } catch (error) {
    signal.throwIfAborted();
    return { problem: messageOf(error) };
  }
}
