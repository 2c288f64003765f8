import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { headersOf } from './exchange.ts';
import type { Marker } from './scenario.ts';

/** What a watch has brought so far. */
export interface Collected {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: readonly unknown[];
}

/** Reads a watch in the background, so that nothing is lost while other steps run. */
export class WatchStream {
  readonly #message: IncomingMessage;
  readonly #events: unknown[] = [];
  #taken = 0;
  #ended = false;
  #changed: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(message: IncomingMessage) {
    this.#message = message;
    const lines = createInterface({ input: message });
    // readline passes on the stream's errors; one that we caused by closing is no news.
    message.on('error', () => this.#end());
    lines.on('error', () => this.#end());
    lines.on('line', (line) => {
      if (line.trim() === '') return;
      this.#events.push(parse(line));
      this.#wake();
    });
    lines.on('close', () => this.#end());
  }

  /** The events since the last call up to the marker. Rejects with what came so far when the signal is aborted. */
  async collect(until: Marker | 'end', signal: AbortSignal): Promise<Collected> {
    const gaveUp = new Promise<never>((_, reject) => {
      const fail = () => reject(new Error(`no ${JSON.stringify(until)} after ${this.#rest()}`));
      if (signal.aborted) fail();
      signal.addEventListener('abort', fail, { once: true });
    });
    gaveUp.catch(() => undefined);
    for (;;) {
      const end =
        until === 'end'
          ? -1
          : this.#events.findIndex((event, at) => at >= this.#taken && matches(event, until));
      if (end !== -1) return this.#take(end + 1);
      if (this.#ended) {
        if (until === 'end') return this.#take(this.#events.length);
        throw new Error(`the watch ended without ${JSON.stringify(until)} after ${this.#rest()}`);
      }
      await Promise.race([this.#changed.promise, gaveUp]);
    }
  }

  close(): void {
    this.#message.destroy();
  }

  #take(end: number): Collected {
    const events = this.#events.slice(this.#taken, end);
    this.#taken = end;
    return { status: this.#message.statusCode ?? 0, headers: headersOf(this.#message), events };
  }

  #rest(): string {
    return JSON.stringify(this.#events.slice(this.#taken)).slice(0, 2_000);
  }

  #end(): void {
    this.#ended = true;
    this.#wake();
  }

  #wake(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

function matches(event: unknown, marker: Marker): boolean {
  // Whatever the server sends is looked at through optional fields only.
  const { type, object } = event as { type?: string; object?: { metadata?: { name?: string } } };
  if (marker.type !== undefined && marker.type !== type) return false;
  return marker.name === undefined || marker.name === object?.metadata?.name;
}
