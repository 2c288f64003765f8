import type { ControlPlane } from '../../access/context.ts';
import { agentTopic } from '../enqueue-action.ts';
import type { Connection } from './holder.ts';
import { BEAT_MS } from './times.ts';

/** Scope of the heartbeats of all replicas, apart from those of projects. */
const SCOPE = 'heartbeat';
/** Rows per statement. */
const PIECE = 500;

/** Renews all connections of this replica, in few statements. */
class Heartbeat {
  readonly #plane: ControlPlane;
  readonly #connections = new Set<Connection>();
  #isBeating = false;

  constructor(plane: ControlPlane) {
    this.#plane = plane;
  }

  /** @returns stops it */
  keep(connection: Connection): () => void {
    this.#connections.add(connection);
    if (!this.#isBeating) void this.#beat();
    return () => this.#connections.delete(connection);
  }

  async #beat(): Promise<void> {
    const { clock, signal, logger } = this.#plane;
    this.#isBeating = true;
    while (this.#connections.size > 0 && !signal.aborted) {
      await clock.sleep(BEAT_MS, signal).catch(() => {});
      if (signal.aborted) break;
      await this.#write().catch((error: unknown) =>
        logger.warn({ err: error }, 'cannot note that agents are connected; it is tried again'),
      );
    }
    this.#isBeating = false;
  }

  async #write(): Promise<void> {
    const ids = [...this.#connections].map(({ infra }) => infra);
    const connections = new Set([...this.#connections].map(({ id }) => id));
    for (let from = 0; from < ids.length; from += PIECE) {
      const some = ids.slice(from, from + PIECE).toSorted();
      await this.#plane.store.transaction(SCOPE, async ({ db, now, wake }) => {
        const rows = await db
          .selectFrom('infras')
          .select(['id', 'connection_id'])
          .where('id', 'in', some)
          .execute();
        // A connection that has lapsed takes its infrastructure over again.
        for (const { id, connection_id } of rows) if (connection_id === null) wake(agentTopic(id));
        const held = rows.filter(({ connection_id }) => connections.has(connection_id ?? ''));
        if (held.length === 0) return;
        await db
          .updateTable('infras')
          .set({ seen_at: now })
          .where(
            'connection_id',
            'in',
            held.map(({ connection_id }) => connection_id),
          )
          .where(
            'id',
            'in',
            held.map(({ id }) => id),
          )
          .execute();
      });
    }
  }
}

const heartbeats = new WeakMap<ControlPlane, Heartbeat>();

/** The heartbeat of a replica. */
export function heartbeatOf(plane: ControlPlane): Heartbeat {
  const known = heartbeats.get(plane) ?? new Heartbeat(plane);
  heartbeats.set(plane, known);
  return known;
}
