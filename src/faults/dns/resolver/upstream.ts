import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { MessageReader, withLength } from '@turnsole/kube/text/dns-frames';

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
    // Not with a callback: that would get the error of a pod without a way to the server, and `error` would not be emitted.
    socket.once('connect', () => socket.send(query));
    socket.connect(DNS_PORT, address);
  });
}

function askTcp(query: Buffer, address: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port: DNS_PORT, timeout: LIMIT_MS });
    const reader = new MessageReader();
    socket.on('connect', () => socket.write(withLength(query)));
    socket.on('data', (chunk: Buffer) => {
      const [message] = reader.read(chunk);
      if (message === undefined) return;
      socket.destroy();
      resolve(message);
    });
    socket.once('timeout', () => socket.destroy(late(address)));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`name server ${address} closed the connection`)));
  });
}

function late(address: string): Error {
  return new Error(`name server ${address} did not answer within ${LIMIT_MS / 1000} s`);
}
