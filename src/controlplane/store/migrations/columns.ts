import type { ColumnDataType, CreateTableBuilder, Kysely } from 'kysely';
import type { Dialect } from '../backend.ts';
import type { Tables } from '../tables/index.ts';

/** What a column holds, in the words of the row types. */
type ColumnKind = 'text' | 'time' | 'flag' | 'count' | 'real' | 'json' | 'bytes';

/** A column: its kind, and after `?` that it may be null. */
type ColumnSpec = ColumnKind | `${ColumnKind}?`;

/** A table as migrations describe it. */
interface TableSpec {
  readonly columns: Readonly<Record<string, ColumnSpec>>;
  /** Columns of the primary key; `seq` alone becomes a number that the database counts. */
  readonly key: readonly string[];
  /** Further combinations that occur once. */
  readonly unique?: readonly (readonly string[])[];
  /** Combinations by which rows are looked for. */
  readonly indexes?: readonly (readonly string[])[];
}

/** Makes a table with its indexes. A key that is `seq` is counted by the database. */
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
  // SQLite: without AUTOINCREMENT a number is given again when its row is gone, and a watcher would miss it.
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
