import { Wake } from '@turnsole/kube/base/wake';
import { onceAvailable } from './once-available.ts';
import type { Store } from './store.ts';
import { projectTopic } from './transaction.ts';

/** A change as read from the database. */
interface NumberedChange {
  /** Ascending within a project. */
  readonly seq: number;
  readonly kind: string;
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly at: number;
}

/** Changes per read. */
const PIECE = 500;

/** The number of the project's latest change; 0 if there is none. Read it before the objects, so as to miss no change. */
export async function latestChange(store: Pick<Store, 'read'>, project: string): Promise<number> {
  const row = await store.read
    .selectFrom('changes')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .where('project_id', '=', project)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

/**
 * The project's existing and future changes after number `since`, in order and without gaps, until the signal aborts;
 * while the database is away there are none. Nothing is buffered in memory for a slow reader, which reads from the database.
 */
export async function* followChanges(
  store: Pick<Store, 'read' | 'wakeUps'>,
  project: string,
  since: number,
  signal: AbortSignal,
): AsyncGenerator<readonly NumberedChange[]> {
  const woken = new Wake();
  const leave = store.wakeUps.on(projectTopic(project), woken.wake);
  try {
    for (let after = since; !signal.aborted; ) {
      const changes = await onceAvailable(() => changesAfter(store, project, after), woken, signal);
      if (changes.length === 0) {
        await woken.rest(undefined, signal);
      } else {
        after = changes.at(-1)?.seq ?? after;
        yield changes;
      }
    }
  } finally {
    leave();
  }
}

async function changesAfter(
  store: Pick<Store, 'read'>,
  project: string,
  after: number,
): Promise<NumberedChange[]> {
  const rows = await store.read
    .selectFrom('changes')
    .select(['seq', 'kind', 'object_id', 'body', 'at'])
    .where('project_id', '=', project)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(PIECE)
    .execute();
  return rows.map(({ seq, kind, object_id, body, at }) => ({
    seq,
    kind,
    id: object_id,
    body: JSON.parse(body),
    at,
  }));
}
