import type { OutputSink } from '../runtime/types.ts';

/** Hears what a container writes from now on. */
export interface OutputListener {
  write(stream: 'stdout' | 'stderr', chunk: Uint8Array): void;
  /** The container has written its last byte. */
  end(): void;
}

/** A container's output that clients can attach to while it goes to its log. */
export class AttachableOutput implements OutputSink {
  readonly #log: OutputSink;
  readonly #listeners = new Set<OutputListener>();
  #ended = false;

  constructor(log: OutputSink) {
    this.#log = log;
  }

  write(stream: 'stdout' | 'stderr', chunk: Uint8Array): void {
    this.#log.write(stream, chunk);
    for (const listener of this.#listeners) listener.write(stream, chunk);
  }

  end(): void {
    this.#log.end();
    this.#ended = true;
    for (const listener of this.#listeners) listener.end();
    this.#listeners.clear();
  }

  /** Begins to tell; gives the function that stops it. */
  attach(listener: OutputListener): () => void {
    if (this.#ended) listener.end();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
