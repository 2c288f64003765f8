/** Head of a table in a backup. */
export interface TableHead {
  readonly table: string;
  readonly columns: readonly string[];
  /** The last generated number; absent for tables without one. */
  readonly counter?: number;
}

/** A value of a row, of the types that both databases have. */
export type Value = string | number | null | Uint8Array;

/** A consistent view of a database, while other connections keep writing. */
export interface Snapshot {
  /** Versions of its schema. */
  readonly versions: readonly number[];
  readonly tables: readonly TableHead[];
  /** Rows with their values in the order of the columns. */
  rows(head: TableHead): AsyncIterable<readonly Value[]>;
  close(): Promise<void>;
}

/** The table of versions, which is not copied, since a restore creates its own. */
export const VERSIONS_TABLE = 'schema_versions';

/** A quoted name for SQL. Names come from the database itself. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
