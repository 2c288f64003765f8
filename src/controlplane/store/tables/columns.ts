/** Milliseconds since the epoch. */
export type Time = number;

/** 0 or 1: SQLite has no other truth, and both databases count it. */
export type Flag = 0 | 1;

/** A truth as a column has it. */
export function flag(value: boolean | null | undefined): Flag {
  return value === true ? 1 : 0;
}

/** JSON as text; what is in it is said beside the column. */
export type JsonText = string;

/** A text by `packText`; read by `unpackText`. */
export type PackedText = Uint8Array;
