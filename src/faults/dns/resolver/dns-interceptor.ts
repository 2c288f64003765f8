import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { MessageReader, withLength } from '@turnsole/kube/text/dns-frames';
import { type AnswerContext, answer } from './answer.ts';
import { type DnsRule, INTERCEPTOR_GROUP, type Resolvers } from './decide-answer.ts';

/** What an interceptor needs. */
interface DnsInterceptorOptions {
  readonly rule: DnsRule;
  readonly resolvers: Resolvers;
  /** Whether the pod has IPv6. */
  readonly hasVersion6: boolean;
  /** Tried first: clients that keep their port are still sent there. */
  readonly formerPort?: number | undefined;
  readonly warn: (message: string) => void;
}

/** Ports that are tried until one is free for all of UDP and TCP. */
const TRIES = 20;

/** Counts an interceptor's questions so far. */
interface DnsTally {
  arrived: number;
  /** Questions that got another answer than the name server's. */
  hits: number;
  /** Names that were asked for and are none of those that are hit; some of them. */
  readonly others: Set<string>;
}

/** Names that are remembered: enough to see what an application asks for. */
const OTHERS_KEPT = 5;

/** Answers DNS questions at the loopback addresses, over UDP and TCP. */
export class DnsInterceptor {
  readonly port: number;
  readonly tally: DnsTally = { arrived: 0, hits: 0, others: new Set() };
  readonly #datagrams: readonly Datagrams[];
  readonly #servers: readonly Server[];
  readonly #sockets = new Set<Socket>();

  private constructor(options: DnsInterceptorOptions, listening: Listening) {
    this.port = listening.port;
    this.#datagrams = listening.datagrams;
    this.#servers = listening.servers;
    const { rule, resolvers } = options;
    const { tally } = this;
    const onQuestion = (name: string, isHit: boolean): void => {
      tally.arrived += 1;
      if (isHit) tally.hits += 1;
      else if (tally.others.size < OTHERS_KEPT) tally.others.add(name);
    };
    for (const socket of this.#datagrams) {
      answerDatagrams(socket, { rule, resolvers, transport: 'udp', onQuestion });
    }
    for (const server of this.#servers) {
      server.on('connection', (socket) => {
        this.#sockets.add(socket);
        socket.once('close', () => this.#sockets.delete(socket));
        answerStream(socket, { rule, resolvers, transport: 'tcp', onQuestion });
      });
    }
  }

  /** Listens. From then on this process has the group {@link INTERCEPTOR_GROUP}. */
  static async listen(options: DnsInterceptorOptions): Promise<DnsInterceptor> {
    process.setgid?.(INTERCEPTOR_GROUP);
    const hosts = options.hasVersion6 ? ['127.0.0.1', '::1'] : ['127.0.0.1'];
    for (let left = TRIES, wanted = options.formerPort ?? 0; ; left -= 1, wanted = 0) {
      try {
        return new DnsInterceptor(options, await listenAt(hosts, wanted));
      } catch (error) {
        if (left === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      }
    }
  }

  /** Answers nothing any more. */
  close(): Promise<void> {
    for (const socket of this.#datagrams) socket.close();
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
    return Promise.resolve();
  }
}

interface Listening {
  readonly port: number;
  readonly datagrams: readonly Datagrams[];
  readonly servers: readonly Server[];
}

/** One port for both protocols at all of the addresses. @param wanted 0 for any */
async function listenAt(hosts: readonly string[], wanted: number): Promise<Listening> {
  const datagrams: Datagrams[] = [];
  const servers: Server[] = [];
  try {
    let port = wanted;
    for (const host of hosts) {
      const server = createServer().listen(port, host);
      servers.push(server);
      await once(server, 'listening');
      // A server that listens at a port has an address with one.
      port = (server.address() as AddressInfo).port;
      const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
      datagrams.push(socket);
      socket.bind(port, host);
      await once(socket, 'listening');
    }
    return { port, datagrams, servers };
  } catch (error) {
    for (const one of servers) one.close();
    for (const one of datagrams) one.close();
    throw error;
  }
}

function answerDatagrams(socket: Datagrams, context: AnswerContext): void {
  socket.on('message', (query, { port, address }) => {
    void answer(query, context).then((message) => {
      // It may have been closed meanwhile; and who asked may be gone.
      if (message !== undefined) sendQuietly(socket, message, port, address);
    });
  });
  socket.on('error', () => {});
}

function sendQuietly(socket: Datagrams, message: Buffer, port: number, address: string): void {
  try {
    socket.send(message, port, address, () => {});
  } catch {
    // Closed.
  }
}

function answerStream(socket: Socket, context: AnswerContext): void {
  const reader = new MessageReader();
  socket.on('data', (chunk: Buffer) => {
    for (const query of reader.read(chunk)) {
      void answer(query, context).then((message) => {
        if (message !== undefined && !socket.destroyed) socket.write(withLength(message));
      });
    }
  });
  socket.on('error', () => {});
}
