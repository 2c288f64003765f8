/** A control plane as ChaosCenter's server is on the wire, for tests: GraphQL over HTTP, and both dialects of its WebSocket. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Arrivals } from '@turnsole/kube/testing/arrivals';
import { isObject, parseObject } from '@turnsole/kube/text/json';
import { type WebSocket, WebSocketServer } from 'ws';

/** An operation that came by HTTP. */
export interface Received {
  /** Name of its root field. */
  readonly field: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** The answer: data of the root field, GraphQL errors, a whole body with its status, or nothing at all. */
export type Reply =
  | { readonly data: unknown }
  | { readonly errors: readonly string[] }
  | { readonly status: number; readonly body: string }
  | 'silence'
  | 'half';

export interface ControlPlaneOptions {
  /** @default any free one */
  readonly port?: number;
  /** Sub-protocols that it knows; with none it chooses none, as the oldest servers. @default both */
  readonly protocols?: readonly string[];
  /** Payload of connection_ack. */
  readonly ackPayload?: unknown;
  /** @default what ChaosCenter's server says when all is well */
  readonly reply?: (received: Received) => Reply | undefined;
  /** Its certificate and key. @default plain HTTP */
  readonly tls?: ServerOptions;
  /** What `received` keeps. @default everything */
  readonly keeps?: (received: Received) => boolean;
}

/** Key that it gives at a confirmation. */
export const NEW_KEY = 'bmV3LWtleS1uZXcta2V5LW5ldy1rZXktbmV3LWtleQ==';

/** One message of a conversation, as it is on the wire. */
export interface Message {
  readonly from: 'agent' | 'server';
  readonly by: 'http' | 'websocket';
  readonly text: string;
}

export class TestControlPlane implements AsyncDisposable {
  readonly received: Received[] = [];
  /** All messages that came by WebSocket. */
  readonly frames: Record<string, unknown>[] = [];
  /** Sub-protocols that were offered, by connection. */
  readonly offered: string[] = [];
  /** Called with each message of both sides. */
  onMessage: (message: Message) => void = () => {};
  /** Called with each operation as it arrives. */
  onReceived: (received: Received) => void = () => {};
  #options: ControlPlaneOptions;
  readonly #server: Server;
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => this.#choose(offered),
  });
  readonly #sockets = new Set<Socket>();
  readonly #arrivals = new Arrivals();
  #subscriber: { readonly socket: WebSocket; readonly id: unknown; readonly isPresent: boolean } | undefined;

  constructor(options: ControlPlaneOptions = {}) {
    this.#options = options;
    const answer = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#answer(request, response);
    this.#server = options.tls === undefined ? createServer(answer) : createSecureServer(options.tls, answer);
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('upgrade', (request, socket, head) => {
      this.offered.push(request.headers['sec-websocket-protocol'] ?? '');
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => this.#greet(webSocket));
    });
  }

  static async start(options: ControlPlaneOptions = {}): Promise<TestControlPlane> {
    const server = new TestControlPlane(options);
    server.#server.listen(options.port ?? 0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http${this.#options.tls === undefined ? '' : 's'}://127.0.0.1:${this.port}/query`;
  }

  get isSubscribed(): boolean {
    return this.#subscriber !== undefined;
  }

  /** Answers otherwise from now on. */
  set reply(reply: ControlPlaneOptions['reply']) {
    this.#options = { ...this.#options, ...(reply && { reply }) };
  }

  /** Operations of one root field. */
  of(field: string): Received[] {
    return this.received.filter((one) => one.field === field);
  }

  /** Resolves when something that came makes it so. */
  async until(isSo: () => boolean): Promise<void> {
    const fields = (): string => this.received.map(({ field }) => field).join(', ');
    await this.#arrivals.until(isSo, () => `not so with what came: ${fields()}`);
  }

  /** Sends an action to the subscriber. */
  act(action: Readonly<Record<string, unknown>>): void {
    const fields = { k8sManifest: '', externalData: null, requestID: '', username: null, namespace: '' };
    this.send({ data: { infraConnect: { action: { ...fields, ...action } } } });
  }

  /** Sends a payload to the subscriber. */
  send(payload: unknown): void {
    const { id, isPresent } = this.#subscriber ?? {};
    this.sendText(JSON.stringify({ type: isPresent === true ? 'next' : 'data', id, payload }));
  }

  /** Sends any text. */
  sendText(text: string): void {
    const { socket } = this.#subscriber ?? {};
    if (socket !== undefined) this.#say(socket, text);
  }

  #say(socket: WebSocket, text: string): void {
    this.onMessage({ from: 'server', by: 'websocket', text });
    socket.send(text);
  }

  /** Ends the subscription as the server does when another agent has connected. */
  complete(): void {
    this.sendText(JSON.stringify({ type: 'complete', id: this.#subscriber?.id }));
    this.#subscriber = undefined;
  }

  /** Cuts all connections. */
  cut(): void {
    this.#subscriber = undefined;
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.cut();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  #choose(offered: ReadonlySet<string>): string | false {
    const known = this.#options.protocols ?? ['graphql-transport-ws', 'graphql-ws'];
    return known.find((protocol) => offered.has(protocol)) ?? false;
  }

  #greet(socket: WebSocket): void {
    const isPresent = socket.protocol === 'graphql-transport-ws';
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#subscriber?.socket === socket) this.#subscriber = undefined;
      this.#arrivals.came();
    });
    socket.on('message', (data) => {
      // Clients send texts, which `ws` gives as buffers.
      const text = (data as Buffer).toString();
      this.onMessage({ from: 'agent', by: 'websocket', text });
      const message = parseObject(text) ?? {};
      this.frames.push(message);
      if (message.type === 'connection_init') {
        this.#say(socket, JSON.stringify({ type: 'connection_ack', payload: this.#options.ackPayload }));
        if (!isPresent) this.#say(socket, '{"type":"ka"}');
      }
      if (message.type === 'start' || message.type === 'subscribe') {
        this.#subscriber = { socket, id: message.id, isPresent };
      }
      this.#arrivals.came();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    this.onMessage({ from: 'agent', by: 'http', text });
    const received = readOperation(text);
    if (this.#options.keeps?.(received) ?? true) this.received.push(received);
    this.onReceived(received);
    const reply = this.#options.reply?.(received) ?? usualReply(received);
    this.#arrivals.came();
    if (reply === 'silence') return;
    if (reply === 'half') {
      response.writeHead(200, { 'content-length': 1_000 }).write('{"data":{"chaos');
      response.destroy();
      return;
    }
    const { status, body } = bodyOf(received.field, reply);
    this.onMessage({ from: 'server', by: 'http', text: body });
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  }
}

/** Clients of ours send a named operation with its one variable. */
function readOperation(body: string): Received {
  const { query, variables } = parseObject(body) ?? {};
  const [, field = ''] = /\{\s*(\w+)/.exec(String(query)) ?? [];
  const request = isObject(variables) ? variables.request : undefined;
  return { field, request: isObject(request) ? request : {} };
}

function bodyOf(
  field: string,
  reply: Exclude<Reply, string>,
): { readonly status: number; readonly body: string } {
  if ('body' in reply) return reply;
  if ('errors' in reply) {
    const errors = reply.errors.map((message) => ({ message, path: [field] }));
    return { status: 200, body: JSON.stringify({ errors, data: null }) };
  }
  return { status: 200, body: JSON.stringify({ data: { [field]: reply.data } }) };
}

function usualReply({ field, request }: Received): Reply {
  switch (field) {
    case 'confirmInfraRegistration':
      return { data: { isInfraConfirmed: true, newAccessKey: NEW_KEY, infraID: request.infraID } };
    case 'chaosExperimentRun': {
      const { experimentID, experimentRunID } = request;
      const text = `Experiment run received for for ExperimentID: ${experimentID}, ExperimentRunID: ${experimentRunID}`;
      return { data: text };
    }
    case 'runRecord':
      return { data: 'TAKEN' };
    case 'podLog':
      return { data: 'LOGS SENT SUCCESSFULLY' };
    case 'kubeObj':
    case 'kubeNamespace':
      return { data: 'KubeData sent successfully' };
    default:
      return { data: '' };
  }
}
