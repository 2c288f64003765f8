import { messageOf } from '@turnsole/kube/text/error-message';

/** The database cannot be reached or cannot write now. The request was not acknowledged; a retry may help. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** Kinds of a driver's error. */
type StoreFailure =
  /** Two transactions collided: a retry succeeds. */
  | 'repeat'
  /** The database is unreachable, full or shutting down. */
  | 'unavailable'
  /** A constraint of the schema: another writer was faster, or a bug. */
  | 'conflict'
  | 'defect';

/** SQLSTATE codes and classes of PostgreSQL, see its appendix of error codes. */
const REPEAT_STATES = new Set(['40001', '40P01', '55P03']);
const UNAVAILABLE_STATES = /^(?:08|53|57P|58)/;
const UNIQUE_STATE = '23505';
/** Primary result codes of SQLite, see its page of result codes. */
const SQLITE = { busy: 5, locked: 6, readonly: 8, ioError: 10, full: 13, cannotOpen: 14 };
const SQLITE_UNIQUE = new Set([1555, 2067]);
const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENOENT',
  'EAI_AGAIN',
]);

/** The kind of a driver's error. Pure. */
export function classifyFailure(error: unknown): StoreFailure {
  if (error instanceof StoreUnavailableError) return 'unavailable';
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (typeof errcode === 'number') return classifySqlite(errcode);
  if (typeof code === 'string') return classifyCode(code);
  // pg gives these no code.
  const ended =
    /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect/;
  return ended.test(messageOf(error)) ? 'unavailable' : 'defect';
}

/** A StoreUnavailableError for a driver's error of an unreachable database; any other error as it is. Pure. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailableError || classifyFailure(error) !== 'unavailable') return error;
  return new StoreUnavailableError(`the database cannot be asked: ${messageOf(error)}`, { cause: error });
}

function classifySqlite(errcode: number): StoreFailure {
  if (SQLITE_UNIQUE.has(errcode)) return 'conflict';
  switch (errcode & 0xff) {
    case SQLITE.busy:
    case SQLITE.locked:
      return 'repeat';
    case SQLITE.readonly:
    case SQLITE.ioError:
    case SQLITE.full:
    case SQLITE.cannotOpen:
      return 'unavailable';
    default:
      return 'defect';
  }
}

function classifyCode(code: string): StoreFailure {
  if (REPEAT_STATES.has(code)) return 'repeat';
  if (code === UNIQUE_STATE) return 'conflict';
  return CONNECTION_CODES.has(code) || UNAVAILABLE_STATES.test(code) ? 'unavailable' : 'defect';
}
