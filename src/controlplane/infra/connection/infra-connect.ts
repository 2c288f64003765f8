import { Wake } from '@turnsole/kube/base/wake';
import { parseObject } from '@turnsole/kube/text/json';
import { wrongKey } from '../../access/agent-identity.ts';
import { agentOf, type Context, type ControlPlane } from '../../access/context.ts';
import { keyHash } from '../../access/secret-box.ts';
import type { InfraActionResponse, SubscriptionInfraConnectArgs } from '../../schema/generated/types.ts';
import { StoreUnavailableError } from '../../store/errors.ts';
import { onceAvailable } from '../../store/once-available.ts';
import { agentTopic } from '../enqueue-action.ts';
import { infraRow } from '../infras.ts';
import { accessKeyOf } from '../manifest/access-key.ts';
import { Deliveries } from './deliveries.ts';
import { heartbeatOf } from './heartbeat.ts';
import { type Connection, contest, holderState, release, takeOver } from './holder.ts';
import { asActionResponse, NEW_KEY, takePending } from './pending-actions.ts';

/** A live agent answers a ping within this time. */
const ALIVE_MS = 5_000;

/**
 * The actions for an agent, in order, as long as it is connected: first those that it has not received yet, then new ones. Ends an earlier
 * connection of the same infrastructure. Two live agents do not displace one another for ever: the later one stays, and the earlier one is
 * refused as long as it keeps retrying. A connection whose key was replaced gets the new one, if that is for it, and ends. A database that goes away delays actions and ends no connection.
 *
 * @throws Refusal if another agent is connected
 */
export async function* infraConnect(
  { request, reportsResults, answers }: SubscriptionInfraConnectArgs,
  context: Context,
): AsyncGenerator<InfraActionResponse> {
  const { plane } = context;
  const { store } = plane;
  const { infra, project, version } = agentOf(context);
  const id = plane.ids.id();
  const connection: Connection = {
    ...{ id, infra, project, version },
    keyHash: keyHash(request.accessKey),
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
      // When the server ends, other replicas notice the missing heartbeat.
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
      const state = await onceAvailable(() => holderState(store, connection), woken, signal);
      if (state === 'displaced') {
        void contestIfAlive(connection, context);
        return;
      }
      if (state === 'rekeyed') {
        const newKey = await onceAvailable(() => newKeyFor(connection, plane), woken, signal);
        if (newKey === undefined) throw wrongKey();
        yield newKey;
        return;
      }
      if (state === 'lapsed') {
        await onceAvailable(() => takeOver(store, connection), woken, signal);
        continue;
      }
      const actions = await onceAvailable(() => takePending(store, connection, after), woken, signal);
      for (const action of actions) {
        yield asActionResponse(action, connection);
        deliveries.written(action);
        after = action.seq;
      }
      if (actions.length > 0) continue;
      // The agent has its order to leave.
      if (state === 'removed') return;
      await woken.rest(undefined, signal);
    }
  } finally {
    rest();
  }
}

/** Sends the end of the subscription after the ping, so that a live agent answers before it disconnects. */
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

/**
 * The request that hands the new key to the agent of this connection, whose own key was replaced; undefined if the key is not for it. The stored
 * request has the connection's id and no key: the database keeps that sealed.
 */
async function newKeyFor(
  connection: Connection,
  plane: ControlPlane,
): Promise<InfraActionResponse | undefined> {
  const { read } = plane.store;
  const row = await infraRow(read, connection.infra);
  const request = await read
    .selectFrom('actions')
    .selectAll()
    .where('infra_id', '=', connection.infra)
    .where('request_type', '=', NEW_KEY)
    .where('expires_at', '>', plane.clock.now())
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  const data = parseObject(request?.external_data ?? '');
  if (row === undefined || request === undefined || data?.connection !== connection.id) return undefined;
  const external_data = JSON.stringify({ infraID: row.id, accessKey: accessKeyOf(row, plane) });
  return asActionResponse({ ...request, external_data }, connection);
}
