import type { Infra } from '../schema/generated/types.ts';
import type { Reader } from '../store/transaction.ts';
import { asInfra } from './infras.ts';

/** Infrastructures of a project by ID, as clients see them; also deleted ones, whose runs still exist. */
export async function infrasByID(
  db: Reader,
  project: string,
  ids: readonly string[],
  serverVersion: string,
): Promise<ReadonlyMap<string, Infra>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('infras')
    .selectAll()
    .where('project_id', '=', project)
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map((row) => [row.id, asInfra(row, serverVersion, '')]));
}
