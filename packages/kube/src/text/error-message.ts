/**
 * The message of an error; of any other thrown value, its text. One without a message is its code; one of several, such as for all addresses
 * of a name, is theirs. Pure.
 */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return 'code' in error ? String(error.code) : '';
}
