/** A table as it is written down. */
export interface TableHead {
  readonly table: string;
  readonly columns: readonly string[];
  /** The last number that the database has given to a row; absent where it counts none. */
  readonly counter?: number;
}

/** A value of a row: what both databases have. */
export type Value = string | number | null | Uint8Array;

/** A database as it was at one moment, while others go on writing. */
export interface Snapshot {
  /** Versions of the schema that it has. */
  readonly versions: readonly number[];
  readonly tables: readonly TableHead[];
  /** Rows with their values in the order of the columns. */
  rows(head: TableHead): AsyncIterable<readonly Value[]>;
  close(): Promise<void>;
}

/** The table of versions: not copied, as a restore makes its own. */
export const VERSIONS_TABLE = 'schema_versions';

/** A name in SQL. Names come from the database itself. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
