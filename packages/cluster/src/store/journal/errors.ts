/** A data folder cannot be used. The message names the file, what is wrong and what to do. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
  readonly code: DataFolderProblem;
  /** The folder or file that is meant. */
  readonly path: string;

  constructor(code: DataFolderProblem, path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.path = path;
  }
}

type DataFolderProblem = 'in-use' | 'not-writable' | 'not-a-cluster' | 'damaged' | 'newer';

/** A write could not be made durable, and was undone. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
  /** `full`: there was no room; a later write may succeed. `broken`: none will until a restart. */
  readonly code: 'full' | 'io' | 'broken' | 'closed';

  constructor(code: JournalError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Result codes of SQLite as node:sqlite gives them, extended ones included. Source: sqlite.org/rescode.html */
export const SQLITE = {
  busy: 5,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
} as const;

/** The primary result code of an error of node:sqlite; undefined for other errors. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}
