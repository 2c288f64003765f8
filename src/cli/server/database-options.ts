import { compileServerOptions } from '../../controlplane/server/server-options.ts';
import type { StoreLocation } from '../../controlplane/store/open.ts';
import { serverError } from './server-error.ts';

/** Options that say which database a command works on; the same as those of `turnsole server`. */
export interface DatabaseOptions {
  readonly data?: string;
  readonly database?: string;
}

/** @throws CommandError (bad input) */
export function databaseOf(options: DatabaseOptions, env: NodeJS.ProcessEnv): StoreLocation {
  try {
    return compileServerOptions(options, env).location;
  } catch (error) {
    throw serverError(error);
  }
}
