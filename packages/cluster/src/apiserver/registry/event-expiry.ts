import type { Clock } from '@turnsole/kube/base/clock';
import type { Store } from '../../store/index.ts';
import { type ApiObject, asJson, asString } from '../object.ts';
import { objectOf } from '../stored-object.ts';

/** Events live an hour, as on a real server. */
const EVENT_LIFETIME_MS = 60 * 60 * 1000;
const SWEEP_INTERVAL_MS = 5 * 60 * 1000;
const TABLE = 'events';

/** Removes Events an hour after they last happened. Returns the function that ends it. */
export function startEventExpiry(store: Store, clock: Clock): () => void {
  let cancel = (): void => undefined;
  const again = (): void => {
    removeOldEvents(store, clock.now());
    cancel = clock.setTimer(SWEEP_INTERVAL_MS, again, { unref: true });
  };
  cancel = clock.setTimer(SWEEP_INTERVAL_MS, again, { unref: true });
  return () => cancel();
}

/** One sweep; exported for tests. */
function removeOldEvents(store: Store, now: number): void {
  for (const version of [...store.values(TABLE)]) {
    const event = objectOf(version);
    if (now - lastHappened(event) < EVENT_LIFETIME_MS) continue;
    store.delete(TABLE, version, { ...event, metadata: { ...event.metadata } });
  }
}

function lastHappened(event: ApiObject): number {
  const times = [
    asJson(event.series).lastObservedTime,
    event.lastTimestamp,
    event.eventTime,
    event.metadata.creationTimestamp,
  ].map((time) => Date.parse(asString(time)));
  return Math.max(...times.filter((time) => !Number.isNaN(time)), 0);
}
