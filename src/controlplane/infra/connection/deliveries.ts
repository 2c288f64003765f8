import type { ControlPlane } from '../../access/context.ts';
import { projectScope } from '../../store/store.ts';
import type { Connection } from './holder.ts';
import { awaitsOutcome, type StoredAction } from './pending-actions.ts';

/** Longer than a connection survives without its agent. */
const ANSWER_MS = 45_000;

/**
 * Records which actions an agent has received. Writing a frame proves nothing: the agent has it when it answers a ping that was sent after it.
 * Other actions stay, and are sent again over the next connection.
 */
export class Deliveries {
  readonly #plane: ControlPlane;
  readonly #connection: Connection;
  readonly #roundTrip: (withinMs: number) => Promise<void>;
  #unconfirmed: StoredAction[] = [];
  #isConfirming = false;

  constructor(
    plane: ControlPlane,
    connection: Connection,
    roundTrip: (withinMs: number) => Promise<void> = async () => {},
  ) {
    this.#plane = plane;
    this.#connection = connection;
    this.#roundTrip = roundTrip;
  }

  /** An action's frame was written. Returns at once. */
  written(action: StoredAction): void {
    this.#unconfirmed.push(action);
    if (!this.#isConfirming) void this.#confirm();
  }

  async #confirm(): Promise<void> {
    this.#isConfirming = true;
    try {
      while (this.#unconfirmed.length > 0) {
        const written = this.#unconfirmed;
        this.#unconfirmed = [];
        await this.#roundTrip(ANSWER_MS);
        await this.#note(written);
      }
    } catch (error) {
      const { infra } = this.#connection;
      this.#plane.logger.debug({ err: error, infra }, 'it is not known whether an agent has its actions');
    } finally {
      this.#isConfirming = false;
    }
  }

  async #note(written: readonly StoredAction[]): Promise<void> {
    const done = written.filter((row) => !awaitsOutcome(row, this.#connection)).map(({ seq }) => seq);
    if (done.length === 0) return;
    await this.#plane.store.transaction(projectScope(this.#connection.project), async ({ db, now }) => {
      await db
        .updateTable('actions')
        .set({ done_at: now })
        .where('seq', 'in', done)
        .where('done_at', 'is', null)
        .execute();
    });
  }
}
