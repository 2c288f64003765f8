import { Wake } from '@turnsole/kube/base/wake';
import { type Context, memberOf, userOf } from '../../access/context.ts';
import { Refusal } from '../../access/refusal.ts';
import { unpackText } from '../../store/packed-text.ts';
import { projectScope } from '../../store/store.ts';
import type { Tx } from '../../store/transaction.ts';
import { enqueueAction } from '../enqueue-action.ts';
import { infraRowOf } from '../infras.ts';
import { replyTopic } from './keep-reply.ts';

/** Types of requests beyond ChaosCenter's, which agents answer by `agentReply`. */
export type OwnRequestType = 'run_pods' | 'plan' | 'try_probe' | 'run_metrics' | 'new_key';

/** A request to an agent for which a client waits. */
interface Question {
  readonly infra: string;
  /** Request type of upstream's agents, or one that this agent has declared. */
  readonly type: 'logs' | 'kubeobject' | 'namespace' | OwnRequestType;
  /** Data of the request; becomes JSON. */
  readonly data: object;
  /** Whether the replies may take long: the request is renewed while the client waits. */
  readonly mayLast: boolean;
  /** Further writes in the transaction that stores the request. */
  readonly together?: (tx: Tx) => Promise<void>;
}

/** Time limit for an agent's answer, and between two pieces of it; the answer over HTTP may take a little longer. */
const ANSWER_MS = 45_000;
/** Interval in which a long request is renewed. */
const RENEW_MS = 20_000;
/** Replies per read. */
const PIECE = 20;

/** Whether an infrastructure's agent is connected. @throws Refusal if the project has no such infrastructure */
export async function isConnected(infra: string, context: Context): Promise<boolean> {
  const { project } = memberOf(context);
  return (await infraRowOf(context.plane.store.read, project, infra)).active === 1;
}

/**
 * Yields the replies to a question as they arrive. When the client has gone, the agent learns it from the answer to its next reply.
 *
 * @throws Refusal if the agent is silent for too long
 */
export async function* askAgent(question: Question, context: Context): AsyncGenerator<string> {
  const { plane, signal } = context;
  const { store, clock, ids } = plane;
  const scope = projectScope(memberOf(context).project);
  const requestId = ids.id();
  const woken = new Wake(clock);
  const leave = store.wakeUps.on(replyTopic(requestId), woken.wake);
  const externalData = JSON.stringify({ infraID: question.infra, ...question.data });
  const { username } = userOf(context);
  const { infra, type } = question;
  const extend = (ms: number): Promise<unknown> =>
    store.transaction(scope, ({ db, now }) =>
      db
        .updateTable('actions')
        .set({ expires_at: now + ms })
        .where('request_id', '=', requestId)
        .execute(),
    );
  try {
    await context.transaction(scope, async (tx) => {
      await question.together?.(tx);
      await enqueueAction(tx, {
        ...{ infra, type, requestId, username, externalData },
        expiresAt: tx.now + ANSWER_MS,
      });
    });
    let lastReceivedAt = clock.monotonic();
    for (let after = 0; !signal.aborted; ) {
      const replies = await repliesAfter(context, requestId, after);
      for (const { seq, body } of replies) {
        yield unpackText(body);
        after = seq;
      }
      if (replies.length > 0) lastReceivedAt = clock.monotonic();
      if (replies.length > 0) continue;
      if (!question.mayLast && clock.monotonic() - lastReceivedAt >= ANSWER_MS) {
        throw new Refusal(
          'timed-out',
          `the agent of the infrastructure has not answered for ${ANSWER_MS / 1000} s`,
        );
      }
      await woken.rest(question.mayLast ? RENEW_MS : lastReceivedAt + ANSWER_MS - clock.monotonic(), signal);
      if (!question.mayLast || signal.aborted) continue;
      if (!(await isConnected(infra, context)))
        throw new Refusal('unavailable', 'the agent of the infrastructure has gone');
      await extend(ANSWER_MS);
    }
  } finally {
    leave();
    // Expires the request: later replies are not stored.
    await extend(-1).catch((error: unknown) =>
      plane.logger.debug({ err: error, requestId }, 'a request expires'),
    );
  }
}

function repliesAfter({ plane }: Context, requestId: string, after: number) {
  return plane.store.read
    .selectFrom('replies')
    .select(['seq', 'body'])
    .where('request_id', '=', requestId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(PIECE)
    .execute();
}
