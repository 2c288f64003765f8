/**
 * What Node 22 lacks of what the sources use: in the bundle, `AsyncDisposableStack` is this one, which is Node's own where there is one. No
 * global of the programs that import the package is changed for it.
 */

class OwnStack implements AsyncDisposable {
  #undo: (() => unknown)[] = [];
  #isDisposed = false;

  get disposed(): boolean {
    return this.#isDisposed;
  }

  defer(undo: () => unknown): void {
    if (this.#isDisposed) throw new ReferenceError('the stack has been disposed of');
    this.#undo.push(undo);
  }

  use<T extends AsyncDisposable | Disposable | null | undefined>(value: T): T {
    if (value === null || value === undefined) return value;
    this.defer(() => (Symbol.asyncDispose in value ? value[Symbol.asyncDispose]() : value[Symbol.dispose]()));
    return value;
  }

  adopt<T>(value: T, undo: (value: T) => unknown): T {
    this.defer(() => undo(value));
    return value;
  }

  move(): OwnStack {
    if (this.#isDisposed) throw new ReferenceError('the stack has been disposed of');
    const next = new OwnStack();
    next.#undo = this.#undo;
    this.#undo = [];
    this.#isDisposed = true;
    return next;
  }

  /** Undoes everything in reverse; one error is thrown as it is, several as one. */
  async disposeAsync(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    const errors: unknown[] = [];
    for (const undo of this.#undo.reverse()) {
      try {
        await undo();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, 'several steps of closing failed');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync();
  }
}

// The global is declared, and absent on Node 22.
const own = (globalThis as { readonly AsyncDisposableStack?: unknown }).AsyncDisposableStack ?? OwnStack;

export { own as AsyncDisposableStack };
