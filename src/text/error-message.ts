/** The message of an error; of any other thrown value, its text. Pure. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
