import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import type { Store } from '../../store/store.ts';
import { projectTopic } from '../../store/transaction.ts';

/** Waits until a reading is as wanted: reads again after each change of the project. */
export async function untilChanged<T>(
  store: Store,
  project: string,
  read: () => Promise<T>,
  isWanted: (value: T) => boolean,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  let last: T | undefined;
  const limit = setTimeout(() => reject(new Error(`still ${JSON.stringify(last)}`)), PATIENCE_MS);
  try {
    for (;;) {
      const changed = Promise.withResolvers<void>();
      const leave = store.wakeUps.on(projectTopic(project), changed.resolve);
      try {
        last = await read();
        if (isWanted(last)) return last;
        await Promise.race([changed.promise, late]);
      } finally {
        leave();
      }
    }
  } finally {
    clearTimeout(limit);
  }
}
