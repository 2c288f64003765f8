/**
 * What all promises give, in their order.
 *
 * @throws when all have ended, the error of the first in this order that failed: what users are told does not depend on which failed first,
 * and nothing goes on behind an error
 */
export async function allInOrder<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const ends = await Promise.allSettled(promises);
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}
