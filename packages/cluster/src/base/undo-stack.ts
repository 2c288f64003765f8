/**
 * What was begun, and how each of it is undone, the last first: `AsyncDisposableStack` as far as the cluster needs it, which Node has from 24
 * on only.
 */
export class UndoStack {
  readonly #undo: (() => unknown)[] = [];

  defer(undo: () => unknown): void {
    this.#undo.push(undo);
  }

  /**
   * Undoes all, also when some of it fails. Once only: a later call finds nothing.
   *
   * @throws what one of them threw · AggregateError when several did
   */
  async disposeAsync(): Promise<void> {
    const errors: unknown[] = [];
    for (let undo = this.#undo.pop(); undo !== undefined; undo = this.#undo.pop()) {
      try {
        await undo();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} steps of an end failed`);
  }
}
