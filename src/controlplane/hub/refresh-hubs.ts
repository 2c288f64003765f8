import { messageOf } from '@turnsole/kube/text/error-message';
import type { Context } from '../access/context.ts';
import { refresh } from './copies.ts';

/** Concurrent fetches: a page of the table. */
const AT_ONCE = 10;

/** Reads all hubs of all projects again. The error of one is stored with it, and does not affect the others. */
export async function refreshHubs({ plane, signal }: Context): Promise<void> {
  let after = '';
  while (!signal.aborted) {
    const rows = await plane.store.read
      .selectFrom('hubs')
      .selectAll()
      .where('removed', '=', 0)
      .where('id', '>', after)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
    const ended = await Promise.allSettled(rows.map((row) => refresh(plane, row)));
    for (const [index, one] of ended.entries()) {
      if (one.status === 'fulfilled' || signal.aborted) continue;
      plane.logger.info(
        { hub: rows[index]?.id, why: messageOf(one.reason) },
        'a hub could not be read again',
      );
    }
  }
}
