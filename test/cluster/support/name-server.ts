import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Zone } from '@turnsole/cluster/node/dns/zone';
import type { Transport } from '@turnsole/kube/base/ask-name-server';
import { MessageReader, withLength } from '@turnsole/kube/text/dns-frames';
import dnsPacket from 'dns-packet';
import { ask } from '../../../src/faults/dns/resolver/upstream.ts';

/** What a name server of a cluster's pods goes by. */
export interface NameServerOptions {
  readonly zone: () => Zone;
  /** Namespace of the pod with an address; undefined for one that nobody tells of. */
  readonly namespaceOf: (address: string) => Promise<string | undefined>;
  /** Asked for everything else. */
  readonly nameServers: readonly string[];
}

const SERVFAIL = 2;
const TTL_SECONDS = 1;

/**
 * The cluster's DNS for pods that were not told its search domains: a short name means what it means in the namespace of the pod
 * that asks. Everything else is passed on.
 */
export class NameServer implements AsyncDisposable {
  readonly port: number;
  readonly #close: () => Promise<void>;

  private constructor(port: number, close: () => Promise<void>) {
    this.port = port;
    this.#close = close;
  }

  /** Listens on all addresses, on some port. */
  static async start(options: NameServerOptions): Promise<NameServer> {
    const udp = createSocket('udp4');
    udp.on('message', (query, { address, port }) => {
      void answer(query, address, 'udp', options).then((reply) => udp.send(reply, port, address));
    });
    udp.bind(0);
    await once(udp, 'listening');
    const { port } = udp.address();
    const connections = new Set<Socket>();
    const tcp = createServer((socket) => {
      const reader = new MessageReader();
      connections.add(socket);
      socket.on('close', () => connections.delete(socket)).on('error', () => socket.destroy());
      socket.on('data', (chunk) => {
        for (const query of reader.read(chunk)) {
          void answer(query, socket.remoteAddress ?? '', 'tcp', options).then((reply) =>
            socket.write(withLength(reply)),
          );
        }
      });
    });
    tcp.listen(port, '0.0.0.0');
    await once(tcp, 'listening');
    return new NameServer((tcp.address() as AddressInfo).port, async () => {
      for (const socket of connections) socket.destroy();
      udp.close();
      tcp.close();
      await once(tcp, 'close');
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}

async function answer(
  query: Buffer,
  client: string,
  transport: Transport,
  { zone, namespaceOf, nameServers }: NameServerOptions,
): Promise<Buffer> {
  const { id, questions = [] } = dnsPacket.decode(query);
  const [question] = questions;
  const reply = (more: object): Buffer =>
    dnsPacket.encode({ type: 'response', ...(id === undefined ? {} : { id }), questions, ...more });
  const found = question === undefined ? undefined : lookUp(question.name, await namespaceOf(client), zone());
  if (question === undefined || found === undefined) {
    return ask(query, nameServers, transport).catch(() => reply({ flags: SERVFAIL }));
  }
  const answers = question.type === 'A' ? found : [];
  return reply({
    flags: dnsPacket.AUTHORITATIVE_ANSWER | dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE,
    answers: answers.map((data) => ({ type: 'A', name: question.name, ttl: TTL_SECONDS, data })),
  });
}

/** The addresses of a name, short or long, as a pod of a namespace knows it; undefined for names that are none of the cluster's. Pure. */
export function lookUp(
  name: string,
  namespace: string | undefined,
  { domain, entries }: Zone,
): readonly string[] | undefined {
  const words = name.toLowerCase();
  const searched = namespace === undefined ? [] : [`${namespace}.svc.${domain}`, `svc.${domain}`, domain];
  for (const full of [words, ...searched.map((suffix) => `${words}.${suffix}`)]) {
    const { addresses = [] } = entries.get(full) ?? {};
    if (addresses.length > 0) return addresses;
  }
  return undefined;
}
