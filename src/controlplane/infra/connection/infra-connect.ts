import { Wake } from '../../../kube/runtime/wake.ts';
import { agentOf, type Context } from '../../access/context.ts';
import type { InfraActionResponse, SubscriptionInfraConnectArgs } from '../../schema/generated/types.ts';
import { StoreUnavailableError } from '../../store/errors.ts';
import { agentTopic } from '../enqueue-action.ts';
import { Deliveries } from './deliveries.ts';
import { heartbeatOf } from './heartbeat.ts';
import { type Connection, contest, holderState, release, takeOver } from './holder.ts';
import { asActionResponse, takePending } from './pending-actions.ts';

/** An agent that lives answers to a ping sooner. */
const ALIVE_MS = 5_000;

/**
 * What an agent is to do, in order, as long as it is connected: what it has not got yet, then what comes. An earlier connection of the same
 * infrastructure ends. Two agents that both live do not displace one another for ever: the later one stays, and the earlier one is refused
 * as long as it goes on trying.
 *
 * @throws Refusal where another agent is connected
 */
export async function* infraConnect(
  { reportsResults, answers }: SubscriptionInfraConnectArgs,
  context: Context,
): AsyncGenerator<InfraActionResponse> {
  const { plane } = context;
  const { store } = plane;
  const { infra, project, version } = agentOf(context);
  const id = plane.ids.id();
  const connection: Connection = {
    ...{ id, infra, project, version },
    reportsResults: reportsResults === true,
    answers: answers ?? [],
  };
  const woken = new Wake();
  const leave = store.wakeUps.on(agentTopic(infra), woken.wake);
  try {
    await takeOver(store, connection);
    yield* actionsOf(connection, woken, context);
  } finally {
    leave();
    await release(store, connection).catch((error: unknown) => {
      // At the end of the server, others notice by the silence.
      if (!(error instanceof StoreUnavailableError)) throw error;
    });
  }
}

async function* actionsOf(
  connection: Connection,
  woken: Wake,
  context: Context,
): AsyncGenerator<InfraActionResponse> {
  const { plane, signal, roundTrip } = context;
  const { store } = plane;
  const deliveries = new Deliveries(plane, connection, roundTrip);
  const rest = heartbeatOf(plane).keep(connection);
  try {
    for (let after = 0; !signal.aborted; ) {
      const state = await holderState(store, connection);
      if (state === 'displaced') {
        void contestIfAlive(connection, context);
        return;
      }
      const actions = await takePending(store, connection, after);
      for (const action of actions) {
        yield asActionResponse(action, connection);
        deliveries.written(action);
        after = action.seq;
      }
      if (actions.length > 0) continue;
      // It has been told to leave.
      if (state === 'removed') return;
      await woken.rest(undefined, signal);
    }
  } finally {
    rest();
  }
}

/** The end of the subscription goes out behind the ping, so that an agent that lives answers before it leaves. */
async function contestIfAlive(connection: Connection, { plane, roundTrip }: Context): Promise<void> {
  if (roundTrip === undefined) return;
  const { infra } = connection;
  try {
    await roundTrip(ALIVE_MS);
    plane.logger.warn({ infra }, 'two agents of one infrastructure live; the later one stays connected');
    await contest(plane.store, connection);
  } catch (error) {
    plane.logger.debug({ err: error, infra }, 'the agent that was displaced is gone');
  }
}
