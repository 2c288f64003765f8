import type { TableHead, Value } from './source.ts';

/** First line of a backup. */
export interface BackupHead {
  readonly format: 'turnsole-backup';
  readonly formatVersion: 1;
  /** Versions of the schema. */
  readonly versions: readonly number[];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Last line: a backup without it is truncated. */
export interface BackupEnd {
  readonly end: { readonly rows: number };
}

/** A line after the head: the start of a table, a row, or the end. */
export type BackupLine = TableHead | readonly EncodedValue[] | BackupEnd;

type EncodedValue = string | number | null | { readonly base64: string };

/** A row in the form of JSON. Pure. */
export function encodeRow(row: readonly Value[]): readonly EncodedValue[] {
  return row.map((value) =>
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
  );
}

/** Pure. */
export function decodeRow(row: readonly EncodedValue[]): Value[] {
  return row.map((value) =>
    typeof value === 'object' && value !== null ? Buffer.from(value.base64, 'base64') : value,
  );
}
