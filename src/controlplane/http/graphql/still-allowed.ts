/** How long a caller who has lost access may still receive events. */
const RECHECK_MS = 1_000;

/**
 * The events of a subscription, as long as its caller has access: a caller who is signed out, deactivated or removed from the project gets
 * no later ones. Checks before an event is sent, at most once a second.
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
