import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { MessageReader, withLength } from '../text/dns-frames.ts';

/** A server of DNS. */
export interface NameServer {
  readonly address: string;
  /** @default 53 */
  readonly port?: number;
}

/** How a question is passed on. */
export type Transport = 'udp' | 'tcp';

const DNS_PORT = 53;
const HEADER_BYTES = 12;

/**
 * Passes a DNS message on to a server, from a fresh port.
 *
 * @param message without the length that TCP puts in front
 * @param id number that the server sees, so that who asks us can be neither identified nor guessed
 * @returns the answer, byte for byte except for the number, which is that of the message
 * @throws the signal's reason, or the error of the socket
 */
export async function askNameServer(
  server: NameServer,
  message: Buffer,
  transport: Transport,
  { id, signal }: { readonly id: number; readonly signal: AbortSignal },
): Promise<Buffer> {
  const question = Buffer.from(message);
  question.writeUInt16BE(id, 0);
  const ask = transport === 'udp' ? askOverUdp : askOverTcp;
  const answer = Buffer.from(await ask(server, question, signal));
  answer.writeUInt16BE(message.readUInt16BE(0), 0);
  return answer;
}

function isAnswerTo(question: Buffer, answer: Buffer): boolean {
  return (
    answer.length >= HEADER_BYTES &&
    answer.readUInt16BE(0) === question.readUInt16BE(0) &&
    (answer.readUInt16BE(2) & 0x8000) !== 0
  );
}

async function askOverUdp(server: NameServer, question: Buffer, signal: AbortSignal): Promise<Buffer> {
  const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4');
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const onAbort = (): void => reject(signal.reason);
  try {
    signal.throwIfAborted();
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', reject);
    // Strangers may send here as well: what does not fit the question is passed over.
    socket.on('message', (answer) => {
      if (isAnswerTo(question, answer)) resolve(answer);
    });
    socket.once('connect', () => {
      socket.send(question, (error) => {
        if (error !== null) reject(error);
      });
    });
    // Connected, so that answers come from this server alone and a closed port is reported at once. Not with a callback: that would get the
    // error of a machine without a way to the server, and `error` would not be emitted.
    socket.connect(server.port ?? DNS_PORT, server.address);
    return await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    socket.close();
  }
}

async function askOverTcp(server: NameServer, question: Buffer, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const socket = connect({ host: server.address, port: server.port ?? DNS_PORT });
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const reader = new MessageReader();
  socket.on('error', reject);
  socket.on('close', () => reject(new Error(`${server.address} closed the connection without an answer`)));
  socket.on('data', (chunk) => {
    for (const message of reader.read(chunk)) if (isAnswerTo(question, message)) resolve(message);
  });
  socket.write(withLength(question));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    socket.destroy();
  }
}
