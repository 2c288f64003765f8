import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';

/** How a question is passed on. */
export type Transport = 'udp' | 'tcp';

/** Longest time one resolver may take; most clients ask again after 5 s. */
const LIMIT_MS = 5_000;
const DNS_PORT = 53;

/**
 * Asks the resolvers one after the other, from a fresh port and with a fresh number, and gives the first answer, with the
 * number of the question.
 *
 * @param query a DNS message, without the length that TCP puts in front
 * @throws the error of the last one when none answers
 */
export async function ask(
  query: Buffer,
  resolvers: readonly string[],
  transport: Transport,
): Promise<Buffer> {
  let failure: unknown = new Error('the pod has no name servers');
  for (const address of resolvers) {
    try {
      const own = Buffer.from(query);
      own.writeUInt16BE(randomInt(0x10000), 0);
      const answer = Buffer.from(await (transport === 'udp' ? askUdp(own, address) : askTcp(own, address)));
      answer.writeUInt16BE(query.readUInt16BE(0), 0);
      return answer;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function askUdp(query: Buffer, address: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    const timer = setTimeout(() => end(() => reject(late(address))), LIMIT_MS);
    const end = (then: () => void): void => {
      clearTimeout(timer);
      socket.close();
      then();
    };
    socket.once('error', (error) => end(() => reject(error)));
    socket.on('message', (message) => {
      // A connected socket takes messages of this peer only; a late one of another question has another number.
      if (message.length < 12 || message.readUInt16BE(0) !== query.readUInt16BE(0)) return;
      end(() => resolve(message));
    });
    socket.connect(DNS_PORT, address, () => socket.send(query));
  });
}

function askTcp(query: Buffer, address: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port: DNS_PORT, timeout: LIMIT_MS });
    const frames = new FrameReader((message) => {
      socket.destroy();
      resolve(message);
    });
    socket.on('connect', () => socket.write(frame(query)));
    socket.on('data', (chunk: Buffer) => frames.feed(chunk));
    socket.once('timeout', () => socket.destroy(late(address)));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`name server ${address} closed the connection`)));
  });
}

function late(address: string): Error {
  return new Error(`name server ${address} did not answer within ${LIMIT_MS / 1000} s`);
}

/** A message with its length in front, as DNS over TCP has it (RFC 1035, section 4.2.2). */
export function frame(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

/** Cuts a stream of DNS over TCP into messages. */
export class FrameReader {
  readonly #onMessage: (message: Buffer) => void;
  #pending: Buffer = Buffer.alloc(0);

  constructor(onMessage: (message: Buffer) => void) {
    this.#onMessage = onMessage;
  }

  feed(chunk: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    while (this.#pending.length >= 2) {
      const end = 2 + this.#pending.readUInt16BE(0);
      if (this.#pending.length < end) return;
      const message = this.#pending.subarray(2, end);
      this.#pending = this.#pending.subarray(end);
      this.#onMessage(message);
    }
  }
}
