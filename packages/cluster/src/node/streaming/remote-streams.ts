import type { Readable, Writable } from 'node:stream';
import { parseObject } from '@turnsole/kube/text/json';
import type { TerminalSize } from '../runtime/types.ts';
import type { ExecStatus } from './exec-status.ts';

/** The streams between a client and a process, whichever protocol carries them. */
export interface RemoteStreams {
  /** Ends when the client closes its input; there when the client asked for it. */
  readonly stdin: Readable | undefined;
  /** Writing waits for the client; there when the client asked for it. */
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
  /** Aborted when the client has gone or the server closes. */
  readonly signal: AbortSignal;
  /** Calls back for each size of the client's terminal, the last known one at once. */
  onResize(listener: (size: TerminalSize) => void): void;
  /** Sends the client how it ended, after everything written, and closes. Never rejects. */
  finish(status: ExecStatus): Promise<void>;
}

/** Remembers the size of a client's terminal until it is read. */
export class Resizes {
  #last: TerminalSize | undefined;
  #listener: ((size: TerminalSize) => void) | undefined;

  listen(listener: (size: TerminalSize) => void): void {
    this.#listener = listener;
    if (this.#last !== undefined) listener(this.#last);
  }

  /** A message of the resize channel, `{"Width":80,"Height":24}`; an unreadable one is dropped. */
  receive(text: string): void {
    const size = readSize(text);
    if (size === undefined) return;
    this.#last = size;
    this.#listener?.(size);
  }
}

/** Reads a message of the resize channel; undefined for anything else; pure. */
export function readSize(text: string): TerminalSize | undefined {
  const { Width: columns, Height: rows } = parseObject(text) ?? {};
  return isLength(columns) && isLength(rows) ? { columns, rows } : undefined;
}

function isLength(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= 65_535;
}
