/** Milliseconds since the epoch. */
export type Time = number;

/** 0 or 1: SQLite has no booleans, and both databases can sum it. */
export type Flag = 0 | 1;

/** A boolean in the form of a column. */
export function flag(value: boolean | null | undefined): Flag {
  return value === true ? 1 : 0;
}

/** JSON as text; a comment beside the column has its type. */
export type JsonText = string;

/** A text by `packText`; read by `unpackText`. */
export type PackedText = Uint8Array;
