import type { Clock } from '@turnsole/kube/base/clock';
import type { WebSocket } from 'ws';

/** Finds out whether the client has read everything sent: by numbered pings, which it has to return in order. */
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

  /** Resolves when the client has read everything sent before. @throws Error if the connection is closed, or after that time */
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

  /** A slow client may answer only the latest of several pings, which confirms the earlier ones too. */
  #hear(text: string): void {
    const number = Number(text);
    if (!Number.isSafeInteger(number) || number > this.#asked) return;
    for (; this.#answered < number; ) this.#waiting.get(++this.#answered)?.resolve();
  }
}
