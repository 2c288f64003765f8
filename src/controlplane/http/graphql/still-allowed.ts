/** How long a caller who is allowed no more may still be told of events. */
const RECHECK_MS = 1_000;

/**
 * The events of a subscription, as long as its caller may have them: who is signed out, deactivated or no member any more gets none of the
 * later ones. Asked before an event goes out, at most once a second.
 *
 * @param check throws a Refusal, which ends the subscription
 */
export async function* whileAllowed<T>(
  events: AsyncIterable<T>,
  check: () => Promise<unknown>,
  now: () => number,
): AsyncGenerator<T, void, void> {
  let checkedAt = now();
  for await (const event of events) {
    if (now() - checkedAt >= RECHECK_MS) {
      await check();
      checkedAt = now();
    }
    yield event;
  }
}
