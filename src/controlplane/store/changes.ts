import { Wake } from '../../kube/runtime/wake.ts';
import type { Store } from './store.ts';
import { projectTopic } from './transaction.ts';

/** A change as it is read back. */
interface NumberedChange {
  /** Rises from change to change of a project. */
  readonly seq: number;
  readonly kind: string;
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly at: number;
}

/** How many are read at once. */
const PIECE = 500;

/** The number of the project's latest change; 0 where there is none. Whoever reads objects first takes this before. */
export async function latestChange(store: Pick<Store, 'read'>, project: string): Promise<number> {
  const row = await store.read
    .selectFrom('changes')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .where('project_id', '=', project)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

/**
 * The project's changes after number `since`, those that are there and those to come, in order and without gaps, until the signal aborts.
 * A reader that is slow gets what has gathered: nothing is kept for it in memory.
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
      const changes = await changesAfter(store, project, after);
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
