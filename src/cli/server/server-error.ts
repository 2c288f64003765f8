import type { CommandErrorCode } from '../../services/error-codes/command-errors.ts';
import { CommandError } from '../../services/errors.ts';

/** By the name of its class: loading the classes would load the server. */
const CODES: Readonly<Record<string, CommandErrorCode>> = {
  UsageError: 'OPTION_INVALID',
  StoreUnavailableError: 'DATABASE_UNUSABLE',
  MigrationError: 'DATABASE_UNUSABLE',
  BackupError: 'BACKUP_REFUSED',
  ServeError: 'SERVER_NOT_STARTED',
};

/** An error of the control plane as the command prints it; others stay as they are. */
export function serverError(error: unknown): unknown {
  const code = error instanceof Error ? CODES[error.name] : undefined;
  if (code === undefined) return error;
  return new CommandError((error as Error).message, code, { cause: error });
}
