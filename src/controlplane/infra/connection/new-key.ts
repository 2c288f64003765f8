import { parseObject } from '@turnsole/kube/text/json';
import type { ControlPlane } from '../../access/context.ts';
import type { InfraActionResponse } from '../../schema/generated/types.ts';
import { infraRow } from '../infras.ts';
import { accessKeyOf } from '../manifest/access-key.ts';
import type { Connection } from './holder.ts';
import { asActionResponse, NEW_KEY } from './pending-actions.ts';

/**
 * The request that hands the new key to the agent of this connection, whose own key was replaced; undefined if the key is not for it. The stored
 * request has the connection's id and no key: the database keeps that sealed.
 */
export async function newKeyFor(
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
