/**
 * Waits for statements that were sent without waiting for each other's answers; a database carries them out in their order all the same.
 *
 * @throws the error of the first one that failed, when all have come back: in a transaction those behind it fail because of it
 */
export async function together(statements: readonly Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(statements);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
