import type { Socket } from 'node:net';
import type { Clock, Random } from '@turnsole/kube/base/clock';
import { type DelayBudget, DelayLine } from './delay-line.ts';

/** A connection through the proxy. */
export interface Relay {
  /** From now on nothing is done to what passes; ends the connection as soon as nothing is under way on it. */
  drain(): void;
}

/** Context of a relay. */
export interface RelayContext {
  readonly clock: Pick<Clock, 'monotonic' | 'setTimer'>;
  readonly random: Random;
  readonly budget: DelayBudget;
  /** Says once per proxy what a user should know. */
  readonly warn: (message: string) => void;
  readonly tally: Tally;
}

/** Counts what a proxy has passed so far. */
export interface Tally {
  connections: number;
  /** Of HTTP/1. */
  requests: number;
  /** Requests or responses that were changed, delayed or cut off; connections, where these are hit as a whole. */
  hits: number;
}

/** Makes the relay of a connection; `server` may not be connected yet. */
export type RelayFactory = (client: Socket, server: Socket, context: RelayContext) => Relay;

/** Milliseconds by which each direction of a plain TCP connection is delayed. */
export interface TcpDelay {
  readonly toServerMs: number;
  readonly toClientMs: number;
}

/** Passes bytes on in both directions, each after its delay. */
export function tcpRelay(delay: TcpDelay): RelayFactory {
  return (client, server, context) => {
    if (delay.toServerMs > 0) client.once('data', () => countHit(context));
    if (delay.toClientMs > 0) server.once('data', () => countHit(context));
    const lines = [
      pipeDelayed(client, server, delay.toServerMs, context),
      pipeDelayed(server, client, delay.toClientMs, context),
    ];
    return {
      drain: () => {
        for (const line of lines) line.release();
        endWhenQuiet(client, server, context);
      },
    };
  };
}

/** A stream of unknown kind on which nothing has passed for so long is taken to have nothing under way. */
const QUIET_MS = 100;

/** Ends a connection in order, as soon as nothing has passed on it for a while. */
function endWhenQuiet(client: Socket, server: Socket, { clock }: RelayContext): void {
  let cancel = (): void => {};
  const wait = (): void => {
    cancel();
    cancel = clock.setTimer(QUIET_MS, () => {
      client.end();
      server.end();
    });
  };
  for (const socket of [client, server]) {
    socket.on('data', wait);
    socket.once('close', () => cancel());
  }
  wait();
}

function countHit({ tally }: RelayContext): void {
  tally.hits += 1;
}

/** Resets a connection some time after its first byte, which gets no answer; without `isHit` it passes as it is. */
export function resetRelay(timeoutMs: number, isHit: () => boolean): RelayFactory {
  return (client, server, context) => {
    if (!isHit()) return tcpRelay({ toServerMs: 0, toClientMs: 0 })(client, server, context);
    const reset = (): void => {
      server.resetAndDestroy();
      client.resetAndDestroy();
    };
    let cancel = (): void => {};
    client.once('data', () => {
      countHit(context);
      client.pause();
      cancel = context.clock.setTimer(timeoutMs, reset);
    });
    client.once('end', reset);
    client.once('close', () => cancel());
    return { drain: reset };
  };
}

/** Moves bytes of one direction, with back-pressure; the end as well. */
function pipeDelayed(from: Socket, to: Socket, delayMs: number, context: RelayContext): DelayLine {
  const line = new DelayLine(to, context.clock, context.budget, () => {
    if (!line.isFull) from.resume();
  });
  from.on('data', (chunk: Buffer) => {
    line.write(chunk, delayMs);
    if (line.isFull) from.pause();
  });
  from.once('end', () => line.end(delayMs));
  return line;
}
