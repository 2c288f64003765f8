import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, isIPv6, type Server, type Socket } from 'node:net';
import type { NameServer } from '@turnsole/kube/base/ask-name-server';
import type { Clock, Random } from '@turnsole/kube/runtime/index';
import { MessageReader, withLength } from '@turnsole/kube/text/dns-frames';
import { messageOf } from '@turnsole/kube/text/error-message';
import { type FollowedServices, followServices, knownServices } from '../network/followed-services.ts';
import { respond } from './responder.ts';
import { Upstream } from './upstream.ts';
import { buildZone, type Zone } from './zone.ts';

/** What cluster DNS serves, and where. */
export interface ClusterDnsOptions extends FollowedServices {
  /** To listen on; of the host, reachable from the pods. */
  readonly address: string;
  /** @default 53; 0 takes any free one */
  readonly port?: number;
  /** @default cluster.local */
  readonly domain?: string;
  /** Servers for all other names, usually `parseResolvConf` of the host's file. None: such names fail. */
  readonly upstream: readonly NameServer[];
  readonly clock: Clock;
  readonly random: Random;
  /** Called once for each text: names outside cannot be resolved, or a socket failed. */
  readonly onProblem: (message: string) => void;
}

/** A name server that runs. */
export interface ClusterDns {
  readonly address: string;
  readonly port: number;
  readonly domain: string;
  /** Stops listening, and breaks off answers under way. Idempotent. */
  close(): Promise<void>;
}

const DNS_PORT = 53;
const DEFAULT_DOMAIN = 'cluster.local';
const MAX_CONNECTIONS = 128;
/** A connection without a question for this long is closed, as RFC 7766 asks of servers. */
const IDLE_MS = 10_000;
/** Limit of one connection; further messages wait in the sender's socket. */
const MAX_WAITING = 64;
const MAX_PORT_TRIES = 10;

/**
 * Starts cluster DNS: names of services and pods over UDP and TCP, all others from the servers outside.
 *
 * Follows the informers, which their owner starts and stops; a change counts from the next question on.
 *
 * @throws the socket's error when the address or the port cannot be had
 */
export async function startClusterDns(options: ClusterDnsOptions): Promise<ClusterDns> {
  const sockets = await listen(options.address, options.port ?? DNS_PORT);
  return new RunningClusterDns(options, sockets);
}

interface Listening {
  readonly udp: UdpSocket;
  readonly tcp: Server;
  readonly port: number;
}

class RunningClusterDns implements ClusterDns {
  readonly address: string;
  readonly port: number;
  readonly domain: string;
  readonly #options: ClusterDnsOptions;
  readonly #sockets: Listening;
  readonly #upstream: Upstream;
  readonly #connections = new Set<Socket>();
  readonly #unsubscribe: () => void;
  readonly #reported = new Set<string>();
  #zone: Zone | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: ClusterDnsOptions, sockets: Listening) {
    const { address, clock, random } = options;
    this.address = address;
    this.port = sockets.port;
    this.domain = options.domain ?? DEFAULT_DOMAIN;
    this.#options = options;
    this.#sockets = sockets;
    this.#upstream = new Upstream({
      // The machine may be configured to ask us; that would be a circle.
      servers: options.upstream.filter(
        (server) => server.address !== address || (server.port ?? DNS_PORT) !== sockets.port,
      ),
      clock,
      random,
    });
    this.#unsubscribe = followServices(options, () => {
      this.#zone = undefined;
    });
    sockets.udp.on('message', (message, sender) => {
      void this.#answerDatagram(message, sender);
    });
    sockets.udp.on('error', (error) => this.#report(`cluster DNS over UDP: ${error.message}`));
    sockets.tcp.on('connection', (socket) => this.#serve(socket));
    sockets.tcp.on('error', (error) => this.#report(`cluster DNS over TCP: ${error.message}`));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#unsubscribe();
    this.#upstream.close();
    const { udp, tcp } = this.#sockets;
    const ended = Promise.all([once(udp, 'close'), once(tcp, 'close')]);
    udp.close();
    tcp.close();
    for (const socket of this.#connections) socket.destroy();
    await ended;
  }

  /** Built on demand: between two questions any number of changes costs nothing. */
  #current(): Zone {
    this.#zone ??= buildZone(knownServices(this.#options), this.domain);
    return this.#zone;
  }

  #respond(message: Buffer, transport: 'udp' | 'tcp'): Promise<Buffer | undefined> {
    return respond(message, transport, {
      zone: () => this.#current(),
      upstream: this.#upstream,
      random: this.#options.random,
      onUpstreamProblem: (error) => {
        const reason = messageOf(error);
        this.#report(`names outside the cluster cannot be resolved: ${reason}; pods get SERVFAIL for them`);
      },
    });
  }

  async #answerDatagram(message: Buffer, sender: { address: string; port: number }): Promise<void> {
    const answer = await this.#respond(message, 'udp');
    if (answer === undefined || this.#closed !== undefined) return;
    // The client may be gone; that is no problem of ours.
    this.#sockets.udp.send(answer, sender.port, sender.address, () => {});
  }

  #serve(socket: Socket): void {
    this.#connections.add(socket);
    const reader = new MessageReader();
    let waiting = 0;
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.on('close', () => this.#connections.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      for (const message of reader.read(chunk)) {
        waiting += 1;
        if (waiting >= MAX_WAITING) socket.pause();
        // Answers may overtake each other (RFC 7766, 6.2.1.1): a slow name outside must not hold up the others.
        void this.#respond(message, 'tcp').then((answer) => {
          waiting -= 1;
          if (answer === undefined) return void socket.destroy();
          if (socket.writable) socket.write(withLength(answer));
          if (waiting < MAX_WAITING) socket.resume();
        });
      }
    });
  }

  #report(message: string): void {
    if (this.#reported.has(message) || this.#closed !== undefined) return;
    this.#reported.add(message);
    this.#options.onProblem(message);
  }
}

/** Opens both sockets on the same port; with port 0 tries again when the one is free for TCP only. */
async function listen(address: string, port: number): Promise<Listening> {
  for (let tries = 1; ; tries += 1) {
    const tcp = createServer();
    tcp.maxConnections = MAX_CONNECTIONS;
    tcp.listen(port, address);
    await once(tcp, 'listening');
    // A server that listens on a TCP port has an address with a port; strings are for pipes.
    const { port: taken } = tcp.address() as AddressInfo;
    const udp = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    try {
      udp.bind(taken, address);
      await once(udp, 'listening');
      return { udp, tcp, port: taken };
    } catch (error) {
      udp.close();
      tcp.close();
      if (port !== 0 || tries >= MAX_PORT_TRIES) throw error;
    }
  }
}
