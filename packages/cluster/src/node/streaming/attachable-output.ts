import type { OutputSink } from '../runtime/types.ts';

/** Hears what a container writes. */
interface OutputListener {
  write(stream: 'stdout' | 'stderr', chunk: Uint8Array): void;
  /** The container has written its last byte. */
  end(): void;
}

/** So much output of an interactive container is kept until the first client listens. */
export const MAX_KEPT_BYTES = 64 * 1024;

interface Written {
  readonly stream: 'stdout' | 'stderr';
  readonly chunk: Uint8Array;
}

/**
 * A container's output that clients can attach to while it goes to its log.
 *
 * Clients get what is written from then on. The first client of a container that reads input also gets what was written before:
 * it is the one that the container was started for (`kubectl run -i`), and pods start and end here before such a
 * client can have attached.
 */
export class AttachableOutput implements OutputSink {
  readonly #log: OutputSink;
  readonly #listeners = new Set<OutputListener>();
  #ended = false;
  #kept: Written[] | undefined;
  #keptBytes = 0;

  constructor(log: OutputSink, options: { readonly keepForFirst: boolean }) {
    this.#log = log;
    if (options.keepForFirst) this.#kept = [];
  }

  write(stream: 'stdout' | 'stderr', chunk: Uint8Array): void {
    this.#log.write(stream, chunk);
    this.#keep({ stream, chunk });
    for (const listener of this.#listeners) listener.write(stream, chunk);
  }

  end(): void {
    this.#log.end();
    this.#ended = true;
    for (const listener of this.#listeners) listener.end();
    this.#listeners.clear();
  }

  /** Begins to pass output on; gives the function that stops it. */
  attach(listener: OutputListener): () => void {
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    for (const { stream, chunk } of kept) listener.write(stream, chunk);
    if (this.#ended) listener.end();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Keeps the newest that fits; a chunk that does not fit by itself is kept alone. */
  #keep(written: Written): void {
    const kept = this.#kept;
    if (kept === undefined) return;
    kept.push({ ...written, chunk: Uint8Array.from(written.chunk) });
    this.#keptBytes += written.chunk.length;
    while (kept.length > 1 && this.#keptBytes > MAX_KEPT_BYTES)
      this.#keptBytes -= kept.shift()?.chunk.length ?? 0;
  }
}
