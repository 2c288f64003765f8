import type { Socket } from 'node:net';
import { DelayLine } from './delay-line.ts';
import { requestFraming, responseFraming } from './framing.ts';
import { formatHead, type Head, methodOf, statusOf, withHeaders } from './head.ts';
import { alterResponse, type BodyEncoder, bodyEncoder, type HttpFault } from './http-fault.ts';
import { MessageReader } from './message-reader.ts';
import { type Relay, type RelayContext, type RelayFactory, resetRelay } from './relay.ts';

/** The fault of HTTP connections, and the share of requests that it hits. */
interface HttpRelayOptions {
  readonly fault: HttpFault;
  /** Percent of the requests that are hit; of the connections where bytes are no HTTP/1, and for resets. */
  readonly toxicity: number;
}

/** A request whose response is not complete yet. */
interface Exchange {
  readonly method: string;
  readonly isHit: boolean;
  /** A head of its response was delayed already: an interim one. */
  isDelayed: boolean;
}

/** Requests that may wait on one connection; a client that sends more is not read until some are answered. */
const PIPELINE_LIMIT = 256;
const TLS_HANDSHAKE = 0x16;
const NO_HTTP: Readonly<Record<'latency' | 'other', string>> = {
  latency: 'is delayed as a whole',
  other: 'passes as it is',
};

/** The relay of HTTP faults. What is not hit passes byte by byte as it came. */
export function httpRelay({ fault, toxicity }: HttpRelayOptions): RelayFactory {
  const encoder = bodyEncoder();
  return (client, server, context) => {
    const isHit = (): boolean => context.random() * 100 < toxicity;
    if (fault.kind === 'reset') return resetRelay(fault.timeoutMs, isHit)(client, server, context);
    return new HttpRelay({ client, server, context, fault, isHit, encoder });
  };
}

interface HttpRelayParts {
  readonly client: Socket;
  readonly server: Socket;
  readonly context: RelayContext;
  readonly fault: HttpFault;
  readonly isHit: () => boolean;
  readonly encoder: BodyEncoder;
}

class HttpRelay implements Relay {
  readonly #parts: HttpRelayParts;
  readonly #requests: MessageReader;
  readonly #responses: MessageReader;
  readonly #toClient: DelayLine;
  readonly #exchanges: Exchange[] = [];
  #isFirst = true;
  #isDraining = false;
  /** The client is in the middle of a request. */
  #isSending = false;
  /** The body of the current response is not passed on. */
  #drops = false;
  /** The current response is one of 1xx, after which the final one follows. */
  #isInterim = false;
  /** Decided when the connection turns out to be no HTTP. */
  #opaqueHit: boolean | undefined;
  #isOpaqueCounted = false;

  constructor(parts: HttpRelayParts) {
    this.#parts = parts;
    const { client, server, context } = parts;
    this.#toClient = new DelayLine(client, context.clock, context.budget, () => this.#resumeServer());
    this.#requests = new MessageReader({
      head: (head, raw) => this.#request(head, raw),
      body: (data) => this.#send(data),
      end: () => {
        this.#isSending = false;
      },
      opaque: (data) => this.#sendOpaque(data),
    });
    this.#responses = new MessageReader({
      head: (head, raw) => this.#response(head, raw),
      body: (data) => {
        if (!this.#drops) this.#answer(data, this.#delay);
      },
      end: () => this.#endResponse(),
      opaque: (data) => this.#answer(data, this.#opaqueDelay()),
    });
    client.on('data', (chunk: Buffer) => this.#fromClient(chunk));
    client.once('end', () => {
      this.#requests.close();
      server.end();
    });
    server.on('data', (chunk: Buffer) => {
      this.#responses.feed(chunk);
      if (this.#toClient.isFull) server.pause();
    });
    server.on('drain', () => this.#resumeClient());
    server.once('end', () => {
      this.#responses.close();
      this.#toClient.end();
    });
  }

  drain(): void {
    this.#isDraining = true;
    this.#toClient.release();
    // It cannot be known when a tunnel has nothing under way.
    if (this.#opaqueHit !== undefined || this.#isIdle) this.#finish();
  }

  get #isIdle(): boolean {
    return this.#exchanges.length === 0 && !this.#isSending && !this.#isFirst;
  }

  #finish(): void {
    this.#toClient.end();
    this.#parts.server.end();
  }

  #fromClient(chunk: Buffer): void {
    if (this.#isFirst) {
      this.#isFirst = false;
      if (chunk[0] === TLS_HANDSHAKE) this.#becomeOpaque('TLS');
    }
    this.#requests.feed(chunk);
    const { client, server } = this.#parts;
    if (server.writableNeedDrain || this.#exchanges.length > PIPELINE_LIMIT) client.pause();
  }

  #request(head: Head, raw: Buffer) {
    const method = methodOf(head);
    const framing = head.startLine.startsWith('PRI * ') ? undefined : requestFraming(head);
    if (framing === undefined) {
      this.#becomeOpaque(method === 'PRI' ? 'HTTP/2' : 'a request that is no HTTP/1');
      this.#send(raw);
      return undefined;
    }
    this.#isSending = true;
    this.#parts.context.tally.requests += 1;
    const exchange = { method, isHit: !this.#isDraining && this.#parts.isHit(), isDelayed: false };
    this.#exchanges.push(exchange);
    const { fault } = this.#parts;
    const isAltered = exchange.isHit && fault.kind === 'header' && fault.direction === 'request';
    if (isAltered) this.#countHit();
    this.#send(isAltered ? formatHead(withHeaders(head, fault.headers)) : raw);
    return framing;
  }

  #send(data: Buffer): void {
    if (!this.#parts.server.destroyed) this.#parts.server.write(data);
  }

  #sendOpaque(data: Buffer): void {
    // A tunnel that an exchange has opened is known already; anything else that is no HTTP is new.
    if (this.#opaqueHit === undefined) this.#becomeOpaque('a stream that is no HTTP/1');
    this.#send(data);
  }

  #response(head: Head, raw: Buffer) {
    const [exchange] = this.#exchanges;
    const status = statusOf(head);
    if (exchange === undefined) {
      // A server may send a response without a request before it closes (408).
      this.#answer(raw, 0);
      return responseFraming(head, 'GET');
    }
    const isTunnel = status === 101 || (exchange.method === 'CONNECT' && status >= 200 && status < 300);
    if (isTunnel) return this.#openTunnel(raw);
    this.#isInterim = status < 200;
    const framing = responseFraming(head, exchange.method);
    if (framing === undefined) {
      this.#becomeOpaque('a response that is no HTTP/1');
      this.#answer(raw, this.#opaqueDelay());
      return undefined;
    }
    const { fault, encoder } = this.#parts;
    const altered =
      exchange.isHit && !this.#isDraining && !this.#isInterim
        ? alterResponse(fault, head, { method: exchange.method, framing }, encoder)
        : undefined;
    // A delay counts with the first head of its response: what follows waits for it.
    if (altered !== undefined || (this.#delay > 0 && !exchange.isDelayed)) this.#countHit();
    exchange.isDelayed = this.#delay > 0;
    this.#answer(altered === undefined ? raw : formatHead(altered.head), this.#delay);
    this.#drops = altered?.body !== undefined;
    if (altered?.body !== undefined && altered.body.length > 0) this.#answer(altered.body, this.#delay);
    return framing;
  }

  #openTunnel(raw: Buffer): undefined {
    this.#opaqueHit = this.#exchanges[0]?.isHit === true;
    this.#exchanges.length = 0;
    this.#requests.becomeOpaque();
    this.#answer(raw, this.#opaqueDelay());
    if (this.#isDraining) this.#finish();
    return undefined;
  }

  #endResponse(): void {
    this.#drops = false;
    if (this.#isInterim) {
      this.#isInterim = false;
      return;
    }
    this.#exchanges.shift();
    this.#resumeClient();
    if (this.#isDraining && this.#isIdle) this.#finish();
  }

  get #delay(): number {
    const { fault } = this.#parts;
    return fault.kind === 'latency' && this.#exchanges[0]?.isHit === true && !this.#isDraining
      ? fault.latencyMs
      : 0;
  }

  #opaqueDelay(): number {
    const { fault, isHit } = this.#parts;
    this.#opaqueHit ??= isHit();
    const isDelayed = fault.kind === 'latency' && this.#opaqueHit && !this.#isDraining;
    if (!isDelayed) return 0;
    if (!this.#isOpaqueCounted) this.#countHit();
    this.#isOpaqueCounted = true;
    return fault.latencyMs;
  }

  #countHit(): void {
    this.#parts.context.tally.hits += 1;
  }

  #becomeOpaque(what: string): void {
    const { fault, context, isHit } = this.#parts;
    this.#opaqueHit ??= isHit();
    this.#requests.becomeOpaque();
    this.#responses.becomeOpaque();
    if (fault.kind === 'none') return;
    context.warn(
      `the port carries ${what}, which ${NO_HTTP[fault.kind === 'latency' ? 'latency' : 'other']}`,
    );
  }

  #answer(data: Buffer, delayMs: number): void {
    this.#toClient.write(data, delayMs);
  }

  #resumeServer(): void {
    if (!this.#toClient.isFull) this.#parts.server.resume();
  }

  #resumeClient(): void {
    const { client, server } = this.#parts;
    if (!server.writableNeedDrain && this.#exchanges.length <= PIPELINE_LIMIT) client.resume();
  }
}
