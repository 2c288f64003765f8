/** The command line or the environment of a program cannot be used; the message names the flag or the variable. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
  /** As in docs/errors.md. */
  readonly code = 'USAGE';
}
