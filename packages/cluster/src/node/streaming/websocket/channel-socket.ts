import { Readable, Writable } from 'node:stream';
import {
  CHANNELS,
  type ChannelMessage,
  decodeMessage,
  encodeMessage,
  toBuffer,
} from '@turnsole/kube/client/exec/channels';
import type { WebSocket } from 'ws';
import type { ChannelProtocol } from './protocols.ts';

/** The channel and the bytes of a message; undefined for an empty one; pure. */
export function readMessage(message: Buffer, isBase64: boolean): ChannelMessage | undefined {
  const decoded = decodeMessage(message);
  if (decoded === undefined || !isBase64) return decoded;
  const { channel, data } = decoded;
  return { channel: channel - DIGIT_ZERO, data: Buffer.from(data.toString('latin1'), 'base64') };
}

/** The message that carries the bytes on a channel; pure. */
export function writeMessage(message: ChannelMessage, isBase64: boolean): Buffer | string {
  return isBase64 ? `${message.channel}${message.data.toString('base64')}` : encodeMessage(message);
}

const DIGIT_ZERO = 0x30;

/**
 * The streams in one WebSocket.
 *
 * Reading stops while a stream's reader is behind, so a process that does not read its input holds its client up, and
 * a client that does not read its output holds the process up: `write` waits until the bytes are with the system.
 */
export class ChannelSocket {
  readonly #socket: WebSocket;
  readonly #protocol: ChannelProtocol;
  readonly #streams = new Map<number, Readable>();
  readonly #receivers = new Map<number, (data: Buffer) => void>();

  constructor(socket: WebSocket, protocol: ChannelProtocol) {
    this.#socket = socket;
    this.#protocol = protocol;
    socket.on('message', (data) => this.#receive(toBuffer(data)));
    socket.once('close', () => this.#endAll());
    socket.on('error', () => {}); // followed by close
  }

  /** What the client sends on a channel. Ends when it closes the channel, or is gone. */
  readable(channel: number): Readable {
    const stream = new Readable({ read: () => this.#socket.resume() });
    this.#streams.set(channel, stream);
    return stream;
  }

  /** Calls back for each message on a channel. */
  receive(channel: number, receiver: (data: Buffer) => void): void {
    this.#receivers.set(channel, receiver);
  }

  /** Sends what is written on a channel; its end is not sent, as channels of servers have none. */
  writable(channel: number): Writable {
    return new Writable({
      write: (data: Buffer, _encoding, done) => {
        // A client that has gone needs no error: its signal is aborted.
        this.send(channel, data, () => done());
      },
    });
  }

  send(channel: number, data: Buffer, done: () => void = () => {}): void {
    this.#socket.send(writeMessage({ channel, data }, this.#protocol.isBase64), () => done());
  }

  /** Sends what is left and closes. */
  close(): void {
    this.#endAll();
    this.#socket.close(1000);
  }

  #receive(message: Buffer): void {
    const decoded = readMessage(message, this.#protocol.isBase64);
    if (decoded === undefined) return;
    const { channel, data } = decoded;
    if (channel === CHANNELS.close && this.#protocol.hasClose) {
      this.#end(data[0]);
      return;
    }
    this.#receivers.get(channel)?.(data);
    // An empty message is no end; to a Readable, nothing at all.
    if (data.length > 0 && this.#streams.get(channel)?.push(data) === false) this.#socket.pause();
  }

  #end(channel: number | undefined): void {
    if (channel === undefined) return;
    this.#streams.get(channel)?.push(null);
    this.#streams.delete(channel);
  }

  #endAll(): void {
    for (const channel of [...this.#streams.keys()]) this.#end(channel);
    // The client's own close must be read, whatever stands before it.
    this.#socket.resume();
  }
}
