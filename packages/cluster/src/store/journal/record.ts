import { crc32 } from 'node:zlib';
import type { Change, ChangeType, RestoredChange, StoreObject } from '../types.ts';

/** A change as a row of the table `changes`. */
export interface Row {
  readonly revision: number;
  readonly type: number;
  readonly tbl: string;
  readonly body: string;
  /** CRC-32 of all of it: SQLite itself does not notice a bit that fell over. */
  readonly sum: number;
}

const TYPES: readonly ChangeType[] = ['ADDED', 'MODIFIED', 'DELETED'];

/** The row of a change; pure. */
export function rowOf({ type, table, revision, version }: Change): Row {
  const row = { revision, type: TYPES.indexOf(type), tbl: table, body: JSON.stringify(version.object) };
  return { ...row, sum: sumOf(row) };
}

/** The change of a row; undefined when the row is not what was written; pure. */
export function changeOf(row: Row): RestoredChange | undefined {
  const type = TYPES[row.type];
  if (type === undefined || sumOf(row) !== row.sum) return undefined;
  // The checksum says that this is what an object of the store was written as.
  return { type, table: row.tbl, revision: row.revision, object: JSON.parse(row.body) as StoreObject };
}

function sumOf({ revision, type, tbl, body }: Omit<Row, 'sum'>): number {
  return crc32(body, crc32(`${revision} ${type} ${tbl}`));
}
