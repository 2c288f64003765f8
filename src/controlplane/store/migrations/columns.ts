import type { ColumnDataType, CreateTableBuilder, Kysely } from 'kysely';
import type { Dialect } from '../backend.ts';
import type { Tables } from '../tables/index.ts';

/** Type of a column, in terms of the row types. */
type ColumnKind = 'text' | 'time' | 'flag' | 'count' | 'real' | 'json' | 'bytes';

/** A column: its kind, with `?` if it may be null. */
type ColumnSpec = ColumnKind | `${ColumnKind}?`;

/** Description of a table for migrations. */
interface TableSpec {
  readonly columns: Readonly<Record<string, ColumnSpec>>;
  /** Columns of the primary key; `seq` alone becomes a generated number. */
  readonly key: readonly string[];
  /** Further unique combinations. */
  readonly unique?: readonly (readonly string[])[];
  /** Combinations with an index. */
  readonly indexes?: readonly (readonly string[])[];
}

/** The columns of `Authored`. */
export const AUTHORED = {
  created_at: 'time',
  updated_at: 'time',
  created_by: 'text',
  updated_by: 'text',
} as const satisfies TableSpec['columns'];

/** Creates a table with its indexes. The database generates a key `seq`. */
export async function createTable(
  db: Kysely<Tables>,
  dialect: Dialect,
  name: string,
  spec: TableSpec,
): Promise<void> {
  let table: CreateTableBuilder<string, string> = db.schema.createTable(name);
  const counted = spec.key.length === 1 && spec.key[0] === 'seq';
  if (counted) table = addCounter(table, dialect);
  for (const [column, kind] of Object.entries(spec.columns)) table = addColumn(table, dialect, column, kind);
  if (!counted) table = table.addPrimaryKeyConstraint(`${name}_key`, [...spec.key]);
  await table.execute();
  for (const columns of spec.unique ?? []) await createIndex(db, name, columns, true);
  for (const columns of spec.indexes ?? []) await createIndex(db, name, columns, false);
}

function addCounter(
  table: CreateTableBuilder<string, string>,
  dialect: Dialect,
): CreateTableBuilder<string, string> {
  // SQLite: without AUTOINCREMENT it would reuse the number of a deleted row, and a watcher would miss the new one.
  return dialect === 'sqlite'
    ? table.addColumn('seq', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('seq', 'bigserial', (column) => column.primaryKey());
}

function addColumn(
  table: CreateTableBuilder<string, string>,
  dialect: Dialect,
  name: string,
  spec: ColumnSpec,
): CreateTableBuilder<string, string> {
  const optional = spec.endsWith('?');
  const kind = (optional ? spec.slice(0, -1) : spec) as ColumnKind;
  return table.addColumn(name, dataType(kind, dialect), (column) => (optional ? column : column.notNull()));
}

function dataType(kind: ColumnKind, dialect: Dialect): ColumnDataType {
  switch (kind) {
    case 'text':
    case 'json':
      return 'text';
    case 'time':
    case 'count':
      return 'bigint';
    case 'flag':
      return 'integer';
    case 'real':
      return dialect === 'sqlite' ? 'real' : 'double precision';
    case 'bytes':
      return dialect === 'sqlite' ? 'blob' : 'bytea';
  }
}

async function createIndex(
  db: Kysely<Tables>,
  table: string,
  columns: readonly string[],
  unique: boolean,
): Promise<void> {
  const index = db.schema
    .createIndex([table, ...columns].join('_'))
    .on(table)
    .columns([...columns]);
  await (unique ? index.unique() : index).execute();
}
