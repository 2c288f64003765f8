/** Milliseconds since the epoch. */
export type Time = number;

/** 0 or 1: SQLite has no booleans, and both databases can sum it. */
export type Flag = 0 | 1;

/** A boolean in the form of a column. */
export function flag(value: boolean | null | undefined): Flag {
  return value === true ? 1 : 0;
}

/** Who has created a row and who has changed it last, and when. */
export interface Authored {
  readonly created_at: Time;
  readonly updated_at: Time;
  readonly created_by: string;
  readonly updated_by: string;
}

/** These columns of a new row. */
export function madeBy(username: string, now: Time): Authored {
  return { created_at: now, updated_at: now, created_by: username, updated_by: username };
}

/** JSON as text; a comment beside the column has its type. */
export type JsonText = string;

/** A text by `packText`; read by `unpackText`. */
export type PackedText = Uint8Array;
