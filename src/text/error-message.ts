/** What an error says; of anything else that was thrown, its text. Pure. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
