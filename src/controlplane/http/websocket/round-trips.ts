import type { WebSocket } from 'ws';
import type { Clock } from '../../../kube/runtime/clock.ts';

/** Asks the other end of a connection whether it has read what was sent: pings with numbers, which it has to give back in order. */
export class RoundTrips {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  #asked = 0;
  #answered = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<void>>();

  constructor(socket: WebSocket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    socket.on('pong', (data) => this.#hear(data.toString()));
    socket.once('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the connection was closed'));
      this.#waiting.clear();
    });
  }

  /** Resolves when everything that was sent before has been read. @throws Error when the connection is closed, or after that time */
  readonly roundTrip = async (withinMs: number): Promise<void> => {
    if (this.#socket.readyState !== this.#socket.OPEN) throw new Error('the connection is closed');
    const number = ++this.#asked;
    const answer = Promise.withResolvers<void>();
    this.#waiting.set(number, answer);
    const late = new Error(`the other end has not answered for ${withinMs} ms`);
    const cancel = this.#clock.setTimer(withinMs, () => answer.reject(late), { unref: true });
    this.#socket.ping(`${number}`);
    try {
      await answer.promise;
    } finally {
      cancel();
      this.#waiting.delete(number);
    }
  };

  /** An end that is slow may answer only the latest of several: that one says the same of those before. */
  #hear(text: string): void {
    const number = Number(text);
    if (!Number.isSafeInteger(number) || number > this.#asked) return;
    for (; this.#answered < number; ) this.#waiting.get(++this.#answered)?.resolve();
  }
}
